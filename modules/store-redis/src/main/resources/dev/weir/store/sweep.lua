-- sweep: subscribers for which something can be done now, the most overdue first.
-- KEYS[1]  prefix of the partition; touches active, reads s: q: r: z: f:
-- ARGV[1]  how many at most
-- Returns  {nextInMs, SID, overdueMs, ...}; nextInMs is the wait until the next one beyond those
--          given, -1 when there is none
-- Why each is looked at again: holders of a shared quota are recorded too early rather than too late.
local limit = tonumber(ARGV[1])
begin()
local reply = {-1}
local due = call('ZRANGEBYSCORE', P .. 'active', '-inf', int(now), 'WITHSCORES', 'LIMIT', 0, limit)
local given = {}
for i = 1, #due, 2 do
  local sid = due[i]
  local s = subscriber(sid)
  local at = s and s.st ~= 'x' and next_instant(s, quota(s.q))
  if not at then
    call('ZREM', P .. 'active', sid)
  elseif at > now then
    call('ZADD', P .. 'active', int(at), sid)
  else
    reply[#reply + 1] = sid
    reply[#reply + 1] = max(0, now - tonumber(due[i + 1]))
    given[sid] = true
  end
end
local rest = call('ZRANGE', P .. 'active', 0, limit, 'WITHSCORES')
for i = 1, #rest, 2 do
  if not given[rest[i]] then
    reply[1] = max(0, tonumber(rest[i + 1]) - now)
    break
  end
end
return reply
