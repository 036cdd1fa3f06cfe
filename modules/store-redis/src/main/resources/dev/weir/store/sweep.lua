-- sweep: subscribers for which something can be done now, the most overdue first.
-- KEYS[1]  prefix of the partition; reads active
-- ARGV[1]  how many at most
-- Returns  {nextInMs, SID, overdueMs, …}; nextInMs is the wait until the next one beyond those
--          given, -1 when there is none
local limit = tonumber(ARGV[1])
local line = call('ZRANGE', P .. 'active', 0, limit, 'WITHSCORES')
local reply = {-1}
for i = 1, #line, 2 do
  local at = tonumber(line[i + 1])
  if at > now or (i - 1) / 2 >= limit then
    reply[1] = max(0, at - now)
    break
  end
  reply[#reply + 1] = line[i]
  reply[#reply + 1] = now - at
end
return reply
