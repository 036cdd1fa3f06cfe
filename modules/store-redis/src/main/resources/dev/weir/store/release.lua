-- release: gives back claims whose request was never written: ready again at their old rank, the
-- attempt uncounted, the tokens refunded as far as that is safe.
-- KEYS[1]  prefix of the partition; touches active, fs, n, q: s: r: f: d: b:
-- ARGV[1]  claim id    ARGV[2…] SID, seq per delivery
-- Returns  how many were given back; a claim that is not theirs (any more) is left alone, so that
--          running twice gives back once
-- Why the refund is k tokens less what accrued since the claim: a bucket that was full, or became
-- full since, would not hold those tokens now had they never been claimed. Crediting less is
-- under-use for a moment, crediting more would break the quota.
local claim = ARGV[1]
local groups, order = {}, {}
for i = 2, #ARGV, 2 do
  local sid = ARGV[i]
  if not groups[sid] then
    groups[sid] = {}
    order[#order + 1] = sid
  end
  table.insert(groups[sid], ARGV[i + 1])
end

local refunds = {}
local released = 0

local function refund_of(q)
  local r = refunds[q.id]
  if not r then
    r = {q = q, count = 0, oldest = now, since = tonumber(call('HGET', P .. 'q:' .. q.id, 'since') or 0)}
    refunds[q.id] = r
  end
  return r
end

local function release(sid, seqs)
  local s = subscriber(sid)
  if not s then return end
  local q = quota(s.q)
  local leases = call('ZMSCORE', P .. 'f:' .. sid, unpack(seqs))
  local texts = call('HMGET', P .. 'd:' .. sid, unpack(seqs))
  local gone, ready, ds = {}, {}, {}
  local seen = {}
  for i, seq in ipairs(seqs) do
    local d = delivery(texts[i])
    if leases[i] and d.claim == claim and not seen[seq] then
      seen[seq] = true
      if q and q.probe == probe_name(sid, seq, claim) then clear_probe(q) end
      if q then
        local r = refund_of(q)
        r.count = r.count + 1
        -- A claim later than now: the clock stepped back, nobody knows what accrued. One before the
        -- last change of the rate: its tokens were worth another time.
        if d.claimed > now or d.claimed <= r.since then r.unsafe = true end
        r.oldest = min(r.oldest, d.claimed)
      end
      d.attempts = d.attempts - 1
      d.claim = '-'
      gone[#gone + 1] = seq
      ready[#ready + 1] = rank_of(d.eligible, deliver_by(seq))
      ready[#ready + 1] = seq
      ds[#ds + 1] = seq
      ds[#ds + 1] = pack_delivery(d)
    end
  end
  if #gone == 0 then return end
  batch('ZREM', P .. 'f:' .. sid, gone)
  batch('ZADD', P .. 'r:' .. sid, ready)
  batch('HSET', P .. 'd:' .. sid, ds)
  index('f', sid)
  count('inflight', -#gone)
  count('ready', #gone)
  released = released + #gone
  return {s, q}
end

local function refund(r)
  local q = r.q
  if q.t <= 0 or r.unsafe then return end
  local whole, part = span(q, r.count)
  whole = whole - (now_us - r.oldest * 1000)
  if whole <= 0 then return end
  local tat, tatf = q.tat - whole, q.tatf - part
  if tatf < 0 then tat, tatf = tat - 1, tatf + q.n end
  put(q, 'tat', tat)
  put(q, 'tatf', tatf)
end

begin()
local touched = {}
for _, sid in ipairs(order) do touched[#touched + 1] = release(sid, groups[sid]) end
for _, r in pairs(refunds) do refund(r) end
save_quotas()
for _, t in ipairs(touched) do activate(t[1], t[2], false) end
for _, r in pairs(refunds) do wake_holders(r.q) end
save_counts()
return released
