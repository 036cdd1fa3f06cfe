-- recover: ends the claims of processes that are gone, known by their older store epoch.
-- KEYS[1]  prefix of the partition; touches active, fs, n, ys, q: s: r: f: y: d: w: b:
-- ARGV[1]  epoch; claims of a lower one end    ARGV[2] how many at most
-- Returns  how many ended; less than asked for when none is left
-- Why no token comes back: whether the request of such a claim was written is not known.
local epoch, limit = tonumber(ARGV[1]), tonumber(ARGV[2])

local function stale(sid, most)
  local seqs = call('ZRANGE', P .. 'f:' .. sid, 0, -1)
  local found = {}
  for i = 1, #seqs, 500 do
    local page = {}
    for j = i, min(i + 499, #seqs) do page[#page + 1] = seqs[j] end
    local texts = call('HMGET', P .. 'd:' .. sid, unpack(page))
    for j, seq in ipairs(page) do
      if #found == most then return found end
      local of = tonumber(match(delivery(texts[j]).claim, '^(%d+)%.') or 0)
      if of < epoch then found[#found + 1] = seq end
    end
  end
  return found
end

begin()
local ended, after = 0, nil
while ended < limit do
  local sids = call('ZRANGEBYLEX', P .. 'fs', after and '(' .. after or '-', '+', 'LIMIT', 0, 100)
  if #sids == 0 then break end
  for _, sid in ipairs(sids) do
    local s = subscriber(sid)
    if s and ended < limit then
      local q, before = quota(s.q), ended
      repeat
        local seqs = stale(sid, min(200, limit - ended))
        lapse(s, q, seqs, 'its node is gone')
        ended = ended + #seqs
      until #seqs == 0 or ended == limit
      if ended > before then activate(s, q, false) end
    end
  end
  after = sids[#sids]
end
save_quotas()
save_counts()
return ended
