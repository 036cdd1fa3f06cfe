-- tally: the sides of invariant 1 for some subscribers, each read at one instant.
-- KEYS[1]  prefix of the partition; reads subs, active, s: q: r: z: f: x: y:
-- ARGV[1]  SID after which to begin, empty for the first    ARGV[2] how many
-- Returns  {SID, accepted, delivered, cancelled, purged, ready, delayed, in flight, dead, reconciling,
--          1 when it has something to do and nothing will wake it, …}
local sids = call('ZRANGEBYLEX', P .. 'subs', ARGV[1] == '' and '-' or '(' .. ARGV[1], '+', 'LIMIT', 0,
  ARGV[2])
local reply = {}
for _, sid in ipairs(sids) do
  local v = call('HMGET', P .. 's:' .. sid, 'acc', 'del', 'can', 'pur')
  reply[#reply + 1] = sid
  for i = 1, 4 do reply[#reply + 1] = tonumber(v[i] or 0) end
  for _, set in ipairs(SETS) do reply[#reply + 1] = call('ZCARD', P .. set .. ':' .. sid) end
  local s = subscriber(sid)
  local at = s and s.st ~= 'x' and next_instant(s, quota(s.q))
  reply[#reply + 1] = at and not call('ZSCORE', P .. 'active', sid) and 1 or 0
end
return reply
