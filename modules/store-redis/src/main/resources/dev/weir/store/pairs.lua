-- pairs: the deliveries of one message in one partition.
-- KEYS[1]  prefix of the partition; reads m: r: z: f: x: y: d: b:
-- ARGV[1]  MID
-- Returns  {SID, set or ledger mark, score, delivery, eligible, …}
local v = call('HGETALL', P .. 'm:' .. ARGV[1])
local seq
for i = 1, #v, 2 do
  if v[i] == '' then seq = match(v[i + 1], '^%d+') end
end
local reply = {}
for i = 1, #v, 2 do
  local sid, pair = v[i], v[i + 1]
  if sid ~= '' then
    local set, score, text, eligible = pair, 0, '', 0
    if pair == 'o' then
      set, score = place(sid, seq)
      text = call('HGET', P .. 'd:' .. sid, seq) or ''
      eligible = delivery(text ~= '' and text or nil).eligible
      if set == 'z' then eligible = score end
      if set == 'r' and eligible == 0 then eligible = eligible_of(seq, score) end
    end
    if set then
      for _, value in ipairs({sid, set, score, text, eligible}) do reply[#reply + 1] = value end
    end
  end
end
return reply
