-- intend: makes a publish to several partitions durable before its first delivery exists.
-- KEYS[1]  prefix of the partition of the first target; touches i: intents
-- ARGV[1…7] as publish.lua    ARGV[8] targets, joined by spaces    ARGV[9] the intent's name
-- Returns  0 open (new, or begun before: go on from its cursor), 1 was committed before,
--          2 begun before with another body
-- Why deliverAt is made absolute here: whoever goes on after a crash must mean the same instant.
local key = P .. 'i:' .. ARGV[9]
local known = call('HMGET', key, 'hash', 'done')
if known[1] then
  if known[1] ~= ARGV[2] then return 2 end
  return known[2] and 1 or 0
end
local at, delay = tonumber(ARGV[3]), tonumber(ARGV[4])
if delay > 0 then at = max(at, now + delay) end
call('HSET', key, 'mid', ARGV[1], 'hash', ARGV[2], 'at', int(at), 'by', ARGV[5], 'envelope', ARGV[6],
  'payload', ARGV[7], 'targets', ARGV[8], 'cursor', 0)
call('ZADD', P .. 'intents', int(now), ARGV[9])
return 0
