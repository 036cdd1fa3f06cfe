-- read_intent: what is needed to go on with a publish.
-- KEYS[1]  prefix of the partition; reads i:
-- ARGV[1]  the intent's name
-- Returns  {MID, hash, deliverAt, deliverBy, envelope length, envelope and body, targets, cursor};
--          empty when it is committed or unknown
local v = call('HMGET', P .. 'i:' .. ARGV[1], 'mid', 'hash', 'at', 'by', 'envelope', 'payload',
  'targets', 'cursor')
if not v[6] then return {} end
return v
