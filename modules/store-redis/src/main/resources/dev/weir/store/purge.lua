-- purge: drops dead letters that are too old, and counts them as purged.
-- KEYS[1]  prefix of the partition; touches xs, n, s: x: d: h: w: m: b:
-- ARGV[1]  age, ms, from which they go    ARGV[2] how many at most
-- Returns  how many went
local before, limit = int(now - tonumber(ARGV[1])), tonumber(ARGV[2])
begin()
local gone, after = 0, nil
while gone < limit do
  local sids = call('ZRANGEBYLEX', P .. 'xs', after and '(' .. after or '-', '+', 'LIMIT', 0, 100)
  if #sids == 0 then break end
  for _, sid in ipairs(sids) do
    if gone < limit then
      local seqs = call('ZRANGEBYSCORE', P .. 'x:' .. sid, '-inf', before, 'LIMIT', 0, limit - gone)
      if #seqs > 0 then
        purge_from('x', sid, seqs)
        index('x', sid)
        gone = gone + #seqs
      end
    end
  end
  after = sids[#sids]
end
save_counts()
return gone
