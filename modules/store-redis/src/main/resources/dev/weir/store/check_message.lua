-- check_message: looks whether messages know their deliveries.
-- KEYS[1]  prefix of the partition; reads m: b: r: z: f: x: y: w:
-- ARGV     MIDs
-- Returns  problems
local reply = {}
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
      if not place(v[i], seq) then problem('has an open delivery for ' .. v[i] .. ' that is nowhere') end
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
return reply
