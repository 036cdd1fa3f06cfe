-- check_set: looks whether each delivery in one set of a subscriber is whole.
-- KEYS[1]  prefix of the partition; reads r: z: f: x: y: d: m: b:
-- ARGV[1]  SID    ARGV[2] r, z, f, x or y    ARGV[3] cursor    ARGV[4] how many, about
-- Returns  {cursor, problem, …}; cursor 0 at the end. A delivery that moves meanwhile may be missed by
--          this walk: check_message sees it from the other side.
local sid, set = ARGV[1], ARGV[2]
local page = call('ZSCAN', P .. set .. ':' .. sid, ARGV[3], 'COUNT', ARGV[4])
local reply = {page[1]}

local function problem_of(seq)
  for _, other in ipairs(SETS) do
    if other ~= set and call('ZSCORE', P .. other .. ':' .. sid, seq) then
      return 'is ' .. GAUGE[set] .. ' and ' .. GAUGE[other] .. ' at once'
    end
  end
  local mid = mid_of(seq)
  if not mid then
    -- A dead letter says so itself.
    local why = set == 'x' and call('HGET', P .. 'w:' .. sid, seq)
    if why and match(why, 'body lost$') then return nil end
    return 'is ' .. GAUGE[set] .. ' but its body is lost'
  end
  local m, pair = message(mid, sid)
  if not m or m.seq ~= seq then return 'is ' .. GAUGE[set] .. ' but message ' .. mid .. ' is not' end
  if pair ~= 'o' then
    return 'is ' .. GAUGE[set] .. ' but message ' .. mid .. ' has it as ' .. (pair or 'not its own')
  end
  if set == 'f' then
    local text = call('HGET', P .. 'd:' .. sid, seq)
    if delivery(text or nil).claim == '-' then return 'is in flight without a claim' end
  end
  return nil
end

for i = 1, #page[2], 2 do
  local seq = page[2][i]
  local problem = problem_of(seq)
  if problem then
    reply[#reply + 1] = 'delivery ' .. (mid_of(seq) or '#' .. seq) .. ' for ' .. sid .. ' ' .. problem
  end
end
return reply
