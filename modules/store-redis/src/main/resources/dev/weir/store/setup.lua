-- setup: what a subscriber's verticle starts from, read at one instant.
-- KEYS[1]  prefix of the partition; reads s: q:
-- ARGV[1]  SID    ARGV[2] window of the level, ms, see level_of
-- Returns  {configuration, quota configuration, version, state, level as text}; nil when there is no
--          such subscriber, or one that is being deleted
local v = call('HMGET', P .. 's:' .. ARGV[1], 'cfg', 'q', 'v', 'st')
local q = v[1] and v[4] ~= 'x' and quota(v[2])
if not q then return false end
return {v[1], call('HGET', P .. 'q:' .. v[2], 'cfg'), max(tonumber(v[3]), q.v), v[4],
  int(level_of(q, tonumber(ARGV[2])))}
