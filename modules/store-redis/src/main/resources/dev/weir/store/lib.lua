-- lib: what the transitions share. Redis runs a script's definitions at each call, so each script is
-- given only those that it uses, directly or through others: a definition begins with "local" at the
-- beginning of a line. The constants in C come with the first that needs them.
--
-- KEYS[1] is the prefix weir:{p}: of one partition. Every key is made from it, so all of a script's
-- keys carry its hash tag and lie in one slot; which bodies and messages a script touches is known
-- only once it has read the lines, so they can't be listed beforehand.
--
-- Numbers are doubles: everything stays below 2^53, and microseconds are written with int(), since
-- Lua's own conversion keeps 14 digits.
local P = KEYS[1]
local call = redis.call
local floor, ceil, min, max = math.floor, math.ceil, math.min, math.max
local match = string.match
local time = call('TIME')
local now_us = time[1] * 1000000 + time[2]
local now = floor(now_us / 1000)

-- A delivery without deadline ranks as if it were due an hour after it became eligible.
local RANK_MS = 3600000
-- 126 years: a burst worth more is cut, so that every sum of instants stays exact.
local FAR_US = 4e15
-- A node writes what it claimed within this, or gives it back.
local SEND_WINDOW_US = 1000000

local function int(x) return string.format('%.0f', x) end

-- Redis writes a number with 17 digits, which costs more than all else about it; text is just sent.
local now_text = int(now)

-- Calls a variadic command in pieces, since Lua's stack bounds unpack.
local function batch(command, key, args)
  for i = 1, #args, 500 do
    call(command, key, unpack(args, i, min(i + 499, #args)))
  end
end

-- At maxmemory Redis refuses a script whose first write could grow memory, and lets the rest of it
-- through once something was written. So every transition that must work on a full store begins
-- with a delete; this one deletes nothing.
local function begin() call('HDEL', P .. 'n', '') end

-- Gauges and counters of the partition, for metrics only; but acc also numbers the messages, see
-- publish. What is ready is what is left of acc, so it isn't counted.
local deltas = {}
local function count(field, by) deltas[field] = (deltas[field] or 0) + by end
local function save_counts()
  deltas.ready = nil
  for field, by in pairs(deltas) do
    if by ~= 0 then call('HINCRBY', P .. 'n', field, int(by)) end
  end
end

-- The number that is greater than any version given in this partition before.
local function next_version() return call('INCR', P .. 'ver') end

-- ---------------------------------------------------------------- subscribers

local function subscriber(sid)
  local v = call('HMGET', P .. 's:' .. sid, 'q', 'st', 'v', 'cap', 'lease', 'hold', 'lc')
  if not v[1] then return nil end
  return {sid = sid, q = v[1], st = v[2], v = tonumber(v[3]), cap = tonumber(v[4]),
    lease = tonumber(v[5]), hold = v[6] == '1', last_claim = v[7]}
end

-- ---------------------------------------------------------------- quotas

-- A token takes t + tr/n microseconds; t = 0 is unlimited, t = -1 is rate zero. The TAT is
-- tat + tatf/n microseconds since the epoch: the instant at which the bucket is full again.
local function span(q, k)
  local whole = k * q.t
  if whole > FAR_US then return FAR_US, 0 end
  local part = k * q.tr
  local carry = floor(part / q.n)
  return whole + carry, part - carry * q.n
end

local QUOTA = {'n', 't', 'tr', 'b', 'v', 'tat', 'tatf', 'gate', 'gateat', 'half', 'probe',
  'probeend', 'ramp', 'fails', 'failsince', 'opens', 'shared', 'tatat', 'probeat'}

local quotas = {}
local function quota(qid)
  local known = quotas[qid]
  if known ~= nil then return known end
  local v = call('HMGET', P .. 'q:' .. qid, unpack(QUOTA))
  if not v[2] then
    quotas[qid] = false
    return false
  end
  local q = {id = qid, changed = {}, n = tonumber(v[1]), t = tonumber(v[2]), tr = tonumber(v[3]),
    b = tonumber(v[4]), v = tonumber(v[5]), tat = tonumber(v[6] or 0), tatf = tonumber(v[7] or 0),
    gate = tonumber(v[8] or 0), gateat = tonumber(v[9] or 0), half = tonumber(v[10] or 0),
    probe = v[11] or '', probeend = tonumber(v[12] or 0), ramp = tonumber(v[13] or 0),
    fails = tonumber(v[14] or 0), failsince = tonumber(v[15] or 0), opens = tonumber(v[16] or 0),
    shared = v[17] == '1', tatat = tonumber(v[18] or 0), probeat = tonumber(v[19] or 0)}
  -- What the clock can undo. It may have stepped back: then a gate would stay closed, a probe out and
  -- a bucket empty for as long as the step. So each is kept with the instant at which it was set, and
  -- where that is still to come, it is brought back to the same length from now.
  if q.gate > now and now < q.gateat then
    q.gate = now + (q.gate - q.gateat)
    q.gateat = now
    q.changed.gate, q.changed.gateat = true, true
  end
  if q.probeend > now and now < q.probeat then
    q.probeend = now + (q.probeend - q.probeat)
    q.probeat = now
    q.changed.probeend, q.changed.probeat = true, true
  end
  if q.ramp > now then
    q.ramp = now
    q.changed.ramp = true
  end
  if q.t > 0 then
    if now < q.tatat then
      q.tat = now_us + max(0, q.tat - q.tatat * 1000)
      q.changed.tat = true
    end
    if q.tat < now_us then
      q.idle_us = now_us - q.tat
      q.tat, q.tatf = now_us, 0
    end
  end
  quotas[qid] = q
  return q
end

local function put(q, field, value)
  if q[field] ~= value then
    q[field] = value
    q.changed[field] = true
  end
end

local function save_quota(q)
  local args = {}
  if q.changed.tat then put(q, 'tatat', now) end
  for field in pairs(q.changed) do
    local value = q[field]
    args[#args + 1] = field
    args[#args + 1] = type(value) == 'number' and int(value) or value
  end
  if #args > 0 then call('HSET', P .. 'q:' .. q.id, unpack(args)) end
  q.changed = {}
end

-- The TAT once k more tokens are spent; slow > 1 makes each token take that much longer (a ramp).
local function spent(q, k, slow)
  local whole, part = span(q, k)
  if slow > 1 then whole, part = ceil((whole + part / q.n) * slow), 0 end
  local tat, tatf = q.tat + whole, q.tatf + part
  if tatf >= q.n then tat, tatf = tat + 1, tatf - q.n end
  return tat, tatf
end

-- How many of the asked tokens may be spent now: the exact GCRA, with the slack for claims that run
-- ahead of their token.
local function allowed(q, asked, slow)
  if q.t == 0 then return asked end
  if q.t < 0 then return 0 end
  local full, part = span(q, q.b)
  local limit = now_us + full + C.slackUs
  local function fits(k)
    local tat, tatf = spent(q, k, slow)
    return tat < limit or tat == limit and tatf <= part
  end
  local k = max(0, min(asked, floor((limit - q.tat) / ((q.t + q.tr / q.n) * slow))))
  while k > 0 and not fits(k) do k = k - 1 end
  while k < asked and fits(k + 1) do k = k + 1 end
  return k
end

-- Ms until the next token is really due, without slack.
local function token_wait(q, slow)
  if q.t == 0 then return 0 end
  -- A shared quota at rate zero: far enough not to be looked at, yet in the line, so that a change
  -- of the rate finds it.
  if q.t < 0 then return 86400000 end
  local full, part = span(q, q.b)
  local tat, tatf = spent(q, 1, slow)
  local us = tat - full - now_us
  if tatf > part then us = us + 1 end
  return max(0, ceil(us / 1000))
end

-- What may be spent at once from a bucket that has no other evidence, in micro-tokens: by the TAT,
-- less what may still be sent on claims of the last window.
local function level_of(q, window_ms)
  if q.t == 0 then return q.b * 1000000 end
  if q.t < 0 then return 0 end
  local per = q.t + q.tr / q.n
  -- A bucket that has been full for longer than the window has no claim left to send.
  local debt = (q.tat - now_us) + q.tatf / q.n - (q.idle_us or 0) + window_ms * 1000
  return max(0, min(q.b * 1000000, floor((q.b - debt / per) * 1000000)))
end

-- Holders of a shared quota whose waiting may have got shorter are all due now: too early costs one
-- claim that answers how long to wait, too late would cost the wait itself.
local function wake_holders(q)
  if not q.shared then return end
  local sids = call('ZRANGE', P .. 'holders:' .. q.id, 0, -1)
  for i = 1, #sids, 250 do
    local args = {}
    for j = i, min(i + 249, #sids) do
      args[#args + 1] = now_text
      args[#args + 1] = sids[j]
    end
    call('ZADD', P .. 'active', 'XX', 'LT', unpack(args))
  end
end

local function save_quotas()
  for _, q in pairs(quotas) do
    if q then
      save_quota(q)
      if q.wake then wake_holders(q) end
    end
  end
end

local function probe_name(sid, seq, claim) return sid .. ' ' .. seq .. ' ' .. claim end

-- Siblings were told to wait for the end of its lease; now they may go sooner.
local function clear_probe(q)
  put(q, 'probe', '')
  put(q, 'probeend', 0)
  q.wake = true
end

-- ---------------------------------------------------------------- when something can be done

-- The next instant (ms) at which something can be done for a subscriber; nil when nothing can.
local function next_instant(s, q)
  local lease
  local inflight = call('ZCARD', P .. 'f:' .. s.sid)
  if inflight > 0 then
    lease = tonumber(call('ZRANGE', P .. 'f:' .. s.sid, 0, 0, 'WITHSCORES')[2])
  end
  if s.st ~= 'a' or inflight >= s.cap or not q or (q.t < 0 and not q.shared) then return lease end
  local at
  if call('EXISTS', P .. 'r:' .. s.sid) == 1 then
    at = now
  else
    local head = call('ZRANGE', P .. 'z:' .. s.sid, 0, 0, 'WITHSCORES')
    if not head[1] then return lease end
    at = tonumber(head[2])
  end
  at = max(at, q.gate, now + token_wait(q, 1))
  if q.half == 1 and q.probe ~= '' then at = max(at, q.probeend) end
  if lease and lease < at then return lease end
  return at
end

-- Records it. Where keep is true, an earlier instant that stands already is kept: new work must not
-- make a line look less overdue than it is.
local function activate(s, q, keep)
  local at = next_instant(s, q)
  if not at then
    call('ZREM', P .. 'active', s.sid)
  elseif keep then
    call('ZADD', P .. 'active', 'LT', int(at), s.sid)
  else
    call('ZADD', P .. 'active', int(at), s.sid)
  end
  return at
end

-- ---------------------------------------------------------------- deliveries

-- d:<sid> holds, per sequence that was ever claimed or redriven:
-- attempts failures limited redrives first eligible claimed claim last
local function delivery(text)
  if text then
    local a, f, l, r, first, eligible, claimed, claim, last =
      match(text, '^(%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%d+) (%S+) (%S+)$')
    if a then
      return {attempts = tonumber(a), failures = tonumber(f), limited = tonumber(l),
        redrives = tonumber(r), first = tonumber(first), eligible = tonumber(eligible),
        claimed = tonumber(claimed), claim = claim, last = last}
    end
  end
  return {attempts = 0, failures = 0, limited = 0, redrives = 0, first = 0, eligible = 0,
    claimed = 0, claim = '-', last = '-'}
end

local function pack_delivery(d)
  return d.attempts .. ' ' .. d.failures .. ' ' .. d.limited .. ' ' .. d.redrives .. ' ' .. d.first
    .. ' ' .. d.eligible .. ' ' .. d.claimed .. ' ' .. d.claim .. ' ' .. d.last
end

-- b:<seq> begins with "1 deliverBy accepted deliverAt MID envelopeLength\n": format, then numbers
-- in ms (-1 for none), so that the first 64 bytes give every number that a rank needs.
local function deliver_by(seq)
  return tonumber(match(call('GETRANGE', P .. 'b:' .. seq, 0, 63), '^1 (%-?%d+) ')) or -1
end

local function rank_of(eligible, by)
  local rank = eligible + RANK_MS
  if by >= 0 and by < rank then return by end
  return rank
end

-- m:<MID> holds "seq hash open" under the empty field and, per pair, o while it is open, else its
-- place in the ledger.
local function message(mid, sid)
  local v = call('HMGET', P .. 'm:' .. mid, '', sid)
  if not v[1] then return nil, v[2] end
  local seq, hash, open = match(v[1], '^(%d+) (%S+) (%d+)$')
  return {mid = mid, seq = seq, hash = hash, open = tonumber(open)}, v[2]
end

local function pack_message(m) return m.seq .. ' ' .. m.hash .. ' ' .. int(m.open) end

local SETS = {'r', 'z', 'f', 'x', 'y'}
local GAUGE = {r = 'ready', z = 'delayed', f = 'inflight', x = 'dead', y = 'reconciling'}

-- Which set of a subscriber holds a sequence, and its score there.
local function place(sid, seq)
  for _, set in ipairs(SETS) do
    local score = call('ZSCORE', P .. set .. ':' .. sid, seq)
    if score then return set, tonumber(score) end
  end
  return nil
end

-- Notes which subscribers have stopped deliveries (xs, ys) or any in flight (fs).
local function index(set, sid)
  if call('EXISTS', P .. set .. ':' .. sid) == 1 then
    call('ZADD', P .. set .. 's', 0, sid)
  else
    call('ZREM', P .. set .. 's', sid)
  end
end

-- h:<sid> holds, per sequence, "omitted\n" and one line "settledMs\tjson\n" per kept attempt: the
-- first two and the last fourteen.
local function append_trace(old, line)
  if not old then return '0\n' .. now .. '\t' .. line .. '\n' end
  local omitted, rest = match(old, '^(%d+)\n(.*)$')
  local _, lines = string.gsub(rest, '\n', '\n')
  if lines >= 16 then
    local first, second, third, tail = match(rest, '^([^\n]*\n)([^\n]*\n)([^\n]*\n)(.*)$')
    rest = first .. second .. tail
    omitted = omitted + 1
  end
  return omitted .. '\n' .. rest .. now .. '\t' .. line .. '\n'
end

-- Ends claims that nobody will settle: ready again, or, where the subscriber can't take repeats,
-- reconciling. The attempt keeps its number and counts as no failure.
local function lapse(s, q, seqs, why)
  if #seqs == 0 then return end
  local f, texts = P .. 'f:' .. s.sid, call('HMGET', P .. 'd:' .. s.sid, unpack(seqs))
  local ready, held, ds, ws = {}, {}, {}, {}
  for i, seq in ipairs(seqs) do
    local d = delivery(texts[i])
    if q and q.probe == probe_name(s.sid, seq, d.claim) then clear_probe(q) end
    if d.eligible == 0 then d.eligible = now end
    d.claim = '-'
    ds[#ds + 1] = seq
    ds[#ds + 1] = pack_delivery(d)
    if s.hold then
      held[#held + 1] = now
      held[#held + 1] = seq
      ws[#ws + 1] = seq
      ws[#ws + 1] = '-1 ambiguous: ' .. why
    else
      ready[#ready + 1] = rank_of(d.eligible, deliver_by(seq))
      ready[#ready + 1] = seq
    end
  end
  batch('ZREM', f, seqs)
  batch('HSET', P .. 'd:' .. s.sid, ds)
  if #ready > 0 then batch('ZADD', P .. 'r:' .. s.sid, ready) end
  if #held > 0 then
    batch('ZADD', P .. 'y:' .. s.sid, held)
    batch('HSET', P .. 'w:' .. s.sid, ws)
    index('y', s.sid)
  end
  index('f', s.sid)
  count('inflight', -#seqs)
  count('ready', #ready / 2)
  count('reconciling', #held / 2)
end

-- Gives a quota its rate and burst. What was spent stays spent: the debt in tokens is carried over,
-- and the level is clipped to the new burst, so that no change of rate mints a token.
local function adopt_rate(q, qid, n, t, tr, b, cfg, shared)
  n, t, tr, b = tonumber(n), tonumber(t), tonumber(tr), tonumber(b)
  -- Nothing was ever claimed of a new one: it has been full for ever.
  local tat, tatf = 0, 0
  local same_rate = q and q.n == n and q.t == t and q.tr == tr
  if q and t > 0 and q.idle_us and q.b >= b then
    tat = now_us - q.idle_us
  elseif same_rate and q.b == b then
    tat, tatf = q.tat, q.tatf
  elseif q and t > 0 then
    local level = b
    if q.t > 0 then
      level = min(q.b - ((q.tat - now_us) + q.tatf / q.n) / (q.t + q.tr / q.n), b)
    elseif q.t < 0 then
      -- At rate zero the tokens that were left stand in the TAT as a level, see below.
      level = min(q.tatf / 1000000, b)
    end
    tat = now_us + max(0, min(FAR_US, ceil((b - level) * (t + tr / n))))
  elseif q and t < 0 then
    local level = q.b
    if q.t > 0 then
      level = q.b - ((q.tat - now_us) + q.tatf / q.n) / (q.t + q.tr / q.n)
    elseif q.t < 0 then
      level = q.tatf / 1000000
    end
    tatf = max(0, floor(min(level, b) * 1000000))
  elseif t < 0 then
    tatf = b * 1000000
  end
  local key = P .. 'q:' .. qid
  call('HSET', key, 'n', int(n), 't', int(t), 'tr', int(tr), 'b', int(b), 'cfg', cfg,
    'tat', int(tat), 'tatf', int(tatf), 'tatat', int(now), 'shared', shared and '1' or '0', 'v', next_version())
  -- A token of before is worth another time now: what was claimed before is not refunded.
  if not same_rate then call('HSET', key, 'since', int(now)) end
  call('PERSIST', key)
  quotas[qid] = nil
  return quota(qid)
end

-- Forgets a quota, but for its debt: that stays until it is paid (at rate zero, which pays nothing,
-- as long as a ledger entry) and until nothing can be sent any more on its last claims.
local function retire_quota(q)
  local key = P .. 'q:' .. q.id
  -- The debt as it was seen, with its instant: the clock may have stepped back.
  save_quota(q)
  local left = 0
  if q.t > 0 and not (q.idle_us and q.idle_us > SEND_WINDOW_US) then
    left = ceil((q.tat - now_us + SEND_WINDOW_US) / 1000)
  elseif q.t < 0 then
    left = C.ledgerMs
  end
  if left <= 0 then
    call('DEL', key)
    return
  end
  call('HDEL', key, 'gate', 'gateat', 'half', 'probe', 'probeend', 'probeat', 'ramp', 'fails', 'failsince',
    'opens', 'cfg')
  call('HSET', key, 'shared', '0')
  call('PEXPIRE', key, int(min(left, C.ledgerMs)))
end

-- When a delivery of the ready line that was never claimed became eligible.
local function eligible_of(seq, rank)
  local by, accepted, at = match(call('GETRANGE', P .. 'b:' .. seq, 0, 63),
    '^1 (%-?%d+) (%d+) (%-?%d+) ')
  if by and tonumber(by) == rank then return max(tonumber(accepted), tonumber(at)) end
  return rank - RANK_MS
end

-- A pair's place in the ledger: mark, when, attempts, redrives, and enough of the claim that settled
-- it last to tell whoever repeats that settle.
local shorts = {}
local function short(claim)
  if not shorts[claim] then shorts[claim] = string.sub(redis.sha1hex(claim), 1, 8) end
  return shorts[claim]
end
local function ledger(mark, attempts, redrives, last)
  return mark .. ' ' .. now_text .. ' ' .. attempts .. ' ' .. redrives .. ' ' .. short(last)
end

-- Traces of the ended lie together by the second in which they ended, "<MID>|<SID>" to trace: one
-- write and one expiry for a whole batch. The place in the ledger says which second.
local function trace_key(ms) return P .. 't:' .. int(floor(ms / 1000)) end
local function save_traces(args)
  if #args == 0 then return end
  batch('HSET', trace_key(now), args)
  call('PEXPIRE', trace_key(now), C.traceMs)
end

-- Ends a delivery for good without delivering it: its place in the ledger, the message's open count,
-- and the body when it was the last. The caller takes it out of its set.
local function finish(sid, seq, mid, mark)
  local key = P .. 'm:' .. mid
  local m = message(mid, sid)
  if not m or m.seq ~= seq then return end
  m.open = max(0, m.open - 1)
  local d = delivery(call('HGET', P .. 'd:' .. sid, seq) or nil)
  call('HSET', key, '', pack_message(m), sid, ledger(mark, d.attempts, d.redrives, d.last))
  if m.open == 0 then
    call('UNLINK', P .. 'b:' .. seq)
    call('PEXPIRE', key, C.ledgerMs)
  end
end

-- The MID in a body's first line; nil when the body is gone.
local function mid_of(seq)
  return match(call('GETRANGE', P .. 'b:' .. seq, 0, 1023), '^1 %-?%d+ %d+ %-?%d+ (%S+) ')
end

-- Purges deliveries out of one of a subscriber's sets.
local function purge_from(set, sid, seqs)
  if #seqs == 0 then return end
  batch('ZREM', P .. set .. ':' .. sid, seqs)
  for _, seq in ipairs(seqs) do
    local mid = mid_of(seq)
    if mid then finish(sid, seq, mid, 'p') end
  end
  for _, name in ipairs({'d:', 'h:', 'w:'}) do batch('HDEL', P .. name .. sid, seqs) end
  call('HINCRBY', P .. 's:' .. sid, 'pur', #seqs)
  count('pur', #seqs)
  count(GAUGE[set], -#seqs)
end

-- Since when (ms) the head of a subscriber's ready line is eligible; rank is its score there.
local function head_since(sid, seq, rank)
  local since = delivery(call('HGET', P .. 'd:' .. sid, seq) or nil).eligible
  return since ~= 0 and since or eligible_of(seq, rank)
end
