-- sweep: subscribers for which something can be done now, the most overdue first.
-- KEYS[1]  prefix of the partition; touches active, n, f: d: reads fs, s: q: r: z:
-- ARGV[1]  how many at most
-- Returns  {nextInMs, SID, overdueMs, ...}; nextInMs is the wait until the next one beyond those
--          given, -1 when there is none
-- Why each is looked at again: holders of a shared quota are recorded too early rather than too late.
-- Why the clock is noted, every ten seconds: after it stepped back, whatever was due or leased would
-- wait as long again. Then every lease is given its length from now, and everything is looked at.
local limit = tonumber(ARGV[1])

local function mend_leases(sid)
  local f, s = P .. 'f:' .. sid, subscriber(sid)
  if not s then return end
  local held = call('ZRANGEBYSCORE', f, int(now + s.lease), '+inf', 'WITHSCORES', 'LIMIT', 0, 1000)
  for i = 1, #held, 2 do
    local d = delivery(call('HGET', P .. 'd:' .. sid, held[i]) or nil)
    if d.claimed > now then
      call('ZADD', f, int(now + (tonumber(held[i + 1]) - d.claimed)), held[i])
      d.claimed = now
      call('HSET', P .. 'd:' .. sid, held[i], pack_delivery(d))
    end
  end
end

local function look_at_all()
  for _, sid in ipairs(call('ZRANGE', P .. 'fs', 0, -1)) do mend_leases(sid) end
  local all = call('ZRANGEBYSCORE', P .. 'active', '(' .. now_text, '+inf')
  for i = 1, #all, 250 do
    local args = {}
    for j = i, min(i + 249, #all) do
      args[#args + 1] = now_text
      args[#args + 1] = all[j]
    end
    call('ZADD', P .. 'active', unpack(args))
  end
end

begin()
local clock = tonumber(call('HGET', P .. 'n', 'clock') or 0)
if now < clock then look_at_all() end
if now < clock or now > clock + 10000 then call('HSET', P .. 'n', 'clock', now_text) end
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
