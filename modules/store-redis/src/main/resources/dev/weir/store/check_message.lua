-- check_message: looks whether messages know their deliveries.
-- KEYS[1]  prefix of the partition; reads m: b: f: x: y: w:, touches active, n, s: q: r: z: d:
-- ARGV     MIDs
-- Returns  problems
-- Why it mends one kind: an open delivery that no set holds (its lease entry was lost) would never be
-- looked at again. Nobody can be at work on it without this script seeing its entry, so it is made
-- ready, and told.
local reply = {}

local function put_back(sid, seq)
  local s = subscriber(sid)
  if not s or s.st == 'x' or call('EXISTS', P .. 'b:' .. seq) == 0 then return '' end
  local d = delivery(call('HGET', P .. 'd:' .. sid, seq) or nil)
  if d.eligible == 0 then d.eligible = now end
  d.claim = '-'
  begin()
  call('HSET', P .. 'd:' .. sid, seq, pack_delivery(d))
  call('ZADD', P .. 'r:' .. sid, int(rank_of(d.eligible, deliver_by(seq))), seq)
  count('ready', 1)
  activate(s, quota(s.q), true)
  return ': it is ready again'
end
local function check(mid)
  local v = call('HGETALL', P .. 'm:' .. mid)
  if #v == 0 then return end
  local function problem(text) reply[#reply + 1] = 'message ' .. mid .. ' ' .. text end
  local seq, open
  for i = 1, #v, 2 do
    if v[i] == '' then seq, open = match(v[i + 1], '^(%d+) %S+ (%d+)$') end
  end
  if not seq then return problem('has no index') end
  local found = 0
  for i = 1, #v, 2 do
    if v[i] ~= '' and v[i + 1] == 'o' then
      found = found + 1
      if not place(v[i], seq) then
        problem('has an open delivery for ' .. v[i] .. ' that is nowhere' .. put_back(v[i], seq))
      end
    end
  end
  if found ~= tonumber(open) then
    problem('counts ' .. open .. ' open deliveries but has ' .. found)
  end
  local body = call('EXISTS', P .. 'b:' .. seq) == 1
  if body and found == 0 then problem('has no open delivery but keeps its body #' .. seq) end
  if not body and found > 0 then
    for i = 1, #v, 2 do
      if v[i] ~= '' and v[i + 1] == 'o' then
        problem('has lost the body #' .. seq .. ' of its delivery for ' .. v[i])
      end
    end
  end
end
for i = 1, #ARGV do check(ARGV[i]) end
save_counts()
return reply
