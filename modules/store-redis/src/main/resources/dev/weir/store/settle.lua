-- settle: records what attempts came to, each together with its removal from in flight.
-- KEYS[1]  prefix of the partition; touches active, fs, xs, ys, ver, n, q: s: r: z: f: x: y: d: h: w: m:
--          b: t: holders:
-- ARGV     12 per outcome: SID, seq, MID, claim id, kind (d delivered, r retry, x dead, y reconcile),
--          delayMs of a retry or asked for, budget (f failure, l rate limit, n none), gateMs (-1: not
--          touched), flags (k keep the trace, p pause the subscriber, g it is gone: disable it),
--          reason, trace (one line of JSON, empty for none), health (a alive, f failing, u untold)
-- Returns  per outcome two numbers: 0 applied, 1 already, 2 superseded, 3 unknown; ms the gate stays
--          closed
-- Why it may run twice: a pair in the ledger is never touched again, and the claim that settled a
-- delivery last is kept with it.
-- Why a stale success counts: the endpoint has the message; wherever the delivery lies by now, one
-- more attempt would be a repeat.
-- Why a lost lease is forgiven: a delivery that its message still counts as open, yet lies in no set,
-- has lost its entry in f:. Its own claim may still say what became of it.
local APPLIED, ALREADY, SUPERSEDED, UNKNOWN = 0, 1, 2, 3
local WIDTH = 12

-- Everything that concerns one subscriber, read once; outcomes change these tables, and the writes
-- are made from them at the end, so that several outcomes of one delivery see each other.
local groups, order, messages = {}, {}, {}

local function load_groups()
  for at = 0, #ARGV - 1, WIDTH do
    local sid, seq = ARGV[at + 1], ARGV[at + 2]
    local g = groups[sid]
    if not g then
      g = {seqs = {}, known = {}, left = {}, added = {z = {}, x = {}, y = {}}, d = {}, drop = {}, h = {},
        w = {}, done = 0}
      groups[sid] = g
      order[#order + 1] = sid
    end
    if not g.known[seq] then
      g.known[seq] = true
      g.seqs[#g.seqs + 1] = seq
    end
  end
  for _, sid in ipairs(order) do
    local g = groups[sid]
    g.s = subscriber(sid)
    if g.s then
      g.q = quota(g.s.q)
      local leases = call('ZMSCORE', P .. 'f:' .. sid, unpack(g.seqs))
      local texts = call('HMGET', P .. 'd:' .. sid, unpack(g.seqs))
      g.inflight, g.text = {}, {}
      for i, seq in ipairs(g.seqs) do
        g.inflight[seq] = leases[i]
        g.text[seq] = texts[i]
      end
    end
  end
end

local function load_message(mid, sid)
  local known = messages[mid]
  if known then
    if known.pair[sid] == nil then known.pair[sid] = call('HGET', P .. 'm:' .. mid, sid) end
    return known
  end
  local m, pair = message(mid, sid)
  known = {m = m, pair = {[sid] = pair}, changed = {}}
  messages[mid] = known
  return known
end

local function where(g, sid, seq)
  if g.left[seq] then return g.left[seq].to end
  if g.inflight[seq] then return 'f' end
  return place(sid, seq)
end

-- Takes a sequence out of the set it lies in and notes where it goes; nil is nowhere, on both sides.
local function move(g, seq, from, to, score)
  local l = g.left[seq]
  if not l then
    l = {from = from}
    g.left[seq] = l
  end
  l.to, l.score = to, score
  if from == 'f' then g.inflight[seq] = false end
end

local function remember(g, seq, d)
  local text = pack_delivery(d)
  g.text[seq] = text
  g.d[seq] = text
end

local function trace_of(g, sid, seq)
  if g.h[seq] then return g.h[seq] end
  return call('HGET', P .. 'h:' .. sid, seq)
end

local traces = {}

local function deliver(g, sid, seq, mid, claim, msg, attempts, redrives, from, keep, trace)
  move(g, seq, from, nil, nil)
  -- Only a delivery that was tried before, or put by, has a history or a reason.
  g.drop[seq] = (attempts ~= '1' or redrives ~= '0' or from ~= 'f') and 'all' or 'one'
  g.text[seq] = false
  g.d[seq], g.w[seq] = nil, nil
  g.done = g.done + 1
  local place_in_ledger = ledger('d', attempts, redrives, claim)
  msg.pair[sid] = place_in_ledger
  msg.changed[sid] = place_in_ledger
  if msg.m then msg.m.open = max(0, msg.m.open - 1) end
  msg.seq = seq
  if keep and trace ~= '' then
    local old = g.drop[seq] == 'all' and trace_of(g, sid, seq) or nil
    traces[#traces + 1] = mid .. '|' .. sid
    traces[#traces + 1] = append_trace(old, trace)
  end
  g.h[seq] = nil
end

local function close_gate(q, ms)
  local till = now + ms
  if till > q.gate then
    put(q, 'gate', till)
    put(q, 'gateat', now)
  end
  put(q, 'half', 1)
  put(q, 'ramp', 0)
end

-- Breaker: enough failures in a row over long enough, or the failure of a probe, closes the gate for
-- a growing time. While it is half open only its probe counts: attempts that were under way when it
-- closed say nothing new.
local function failed(q, was_probe)
  if q.half == 1 and not was_probe then return end
  if q.fails == 0 or q.failsince > now then put(q, 'failsince', now) end
  put(q, 'fails', q.fails + 1)
  local tripped = q.fails >= C.breakerFailures and now - q.failsince >= C.breakerSpanMs
  if was_probe or tripped then
    close_gate(q, min(C.breakerBaseMs * 2 ^ min(q.opens, 20), C.breakerMaxMs))
    put(q, 'opens', q.opens + 1)
    put(q, 'fails', 0)
  end
end

local function alive(q, was_probe)
  put(q, 'fails', 0)
  put(q, 'opens', 0)
  if not was_probe then return end
  put(q, 'gate', 0)
  put(q, 'half', 0)
  put(q, 'ramp', now)
  -- The ramp begins with one token, not with the burst that filled up behind the gate.
  if q.t > 0 then
    local whole, part = span(q, q.b - 1)
    local tat = now_us + whole
    if tat > q.tat then
      put(q, 'tat', tat)
      put(q, 'tatf', part)
    end
  end
  q.wake = true
end

local function effects_on_quota(g, sid, seq, claim, health, gate)
  local q = g.q
  if not q then return end
  local was_probe = q.probe == probe_name(sid, seq, claim)
  if was_probe then clear_probe(q) end
  if health == 'a' then
    alive(q, was_probe)
  elseif health == 'f' then
    failed(q, was_probe)
  end
  if gate >= 0 then close_gate(q, gate) end
end

local function change_state(s, state, why)
  if s.st == 'x' then return end
  s.st = state
  s.why = why
end

-- Of a delivery's record: attempts, redrives, claim, last.
local RECORD = '^(%d+) %d+ %d+ (%d+) %d+ %d+ %d+ (%S+) (%S+)$'

local function settle(at)
  local sid, seq, mid, claim, kind = ARGV[at + 1], ARGV[at + 2], ARGV[at + 3], ARGV[at + 4], ARGV[at + 5]
  local budget, gate, flags = ARGV[at + 7], tonumber(ARGV[at + 8]), ARGV[at + 9]
  local g = groups[sid]
  if not g.s then return UNKNOWN end
  local text = g.text[seq]
  local attempts, redrives, owner, last = match(text or '', RECORD)
  if not attempts then attempts, redrives, owner, last = '0', '0', '-', '-' end
  local msg = load_message(mid, sid)
  local pair = msg.pair[sid]
  local final = pair and pair ~= 'o'
  local held = g.inflight[seq]
  local current = held and owner == claim
  if not held and owner == claim and pair == 'o' and not where(g, sid, seq) then current = true end
  local lies_in = held and 'f' or nil

  if kind == 'd' then
    if final then return ALREADY end
    local from = current and lies_in or where(g, sid, seq)
    if not from and pair ~= 'o' then return UNKNOWN end
    local other = g.inflight[seq] and not current and g.q and probe_name(sid, seq, owner)
    if other and g.q.probe == other then clear_probe(g.q) end
    deliver(g, sid, seq, mid, claim, msg, attempts, redrives, from, string.find(flags, 'k', 1, true), ARGV[at + 11])
  else
    if not current then
      if last == claim then return ALREADY end
      if final then return match(pair, '%S+$') == short(claim) and ALREADY or SUPERSEDED end
      if text or where(g, sid, seq) then return SUPERSEDED end
      return UNKNOWN
    end
    local d = delivery(text)
    local delay, reason, trace = tonumber(ARGV[at + 6]), ARGV[at + 10], ARGV[at + 11]
    if kind == 'r' then
      d.eligible = now + delay
      if budget == 'f' then
        d.failures, d.limited = d.failures + 1, 0
      elseif budget == 'l' then
        d.limited = d.limited + 1
      end
      move(g, seq, lies_in, 'z', d.eligible)
      g.w[seq] = '-1 ' .. reason
    else
      move(g, seq, lies_in, kind, now)
      g.w[seq] = (kind == 'y' and int(delay) or '-1') .. ' ' .. reason
    end
    d.claim, d.last = '-', claim
    remember(g, seq, d)
    if trace ~= '' then g.h[seq] = append_trace(trace_of(g, sid, seq), trace) end
  end

  effects_on_quota(g, sid, seq, claim, ARGV[at + 12], gate)
  if string.find(flags, 'g', 1, true) then
    change_state(g.s, 'd', ARGV[at + 10])
  elseif string.find(flags, 'p', 1, true) then
    change_state(g.s, 'p', ARGV[at + 10])
  end
  return APPLIED
end

local function save_group(sid, g)
  local s, gone, to = g.s, {}, {z = {}, x = {}, y = {}}
  local moved = false
  for seq, l in pairs(g.left) do
    moved = true
    if l.from then
      gone[l.from] = gone[l.from] or {}
      table.insert(gone[l.from], seq)
      count(GAUGE[l.from], -1)
    end
    if l.to then
      table.insert(to[l.to], int(l.score))
      table.insert(to[l.to], seq)
      count(GAUGE[l.to], 1)
    end
  end
  for set, seqs in pairs(gone) do batch('ZREM', P .. set .. ':' .. sid, seqs) end
  local drop, past = {}, {}
  for seq, what in pairs(g.drop) do
    drop[#drop + 1] = seq
    if what == 'all' then past[#past + 1] = seq end
  end
  batch('HDEL', P .. 'd:' .. sid, drop)
  batch('HDEL', P .. 'h:' .. sid, past)
  batch('HDEL', P .. 'w:' .. sid, past)
  for set, pairs_of in pairs(to) do
    if #pairs_of > 0 then batch('ZADD', P .. set .. ':' .. sid, pairs_of) end
  end
  for name, fields in pairs({d = g.d, h = g.h, w = g.w}) do
    local args = {}
    for seq, value in pairs(fields) do
      args[#args + 1] = seq
      args[#args + 1] = value
    end
    if #args > 0 then batch('HSET', P .. name .. ':' .. sid, args) end
  end
  if gone.f and call('EXISTS', P .. 'f:' .. sid) == 0 then call('ZREM', P .. 'fs', sid) end
  if gone.x or #to.x > 0 then index('x', sid) end
  if gone.y or #to.y > 0 then index('y', sid) end
  if g.done > 0 then
    call('HINCRBY', P .. 's:' .. sid, 'del', g.done)
    count('del', g.done)
  end
  if s.why then call('HSET', P .. 's:' .. sid, 'st', s.st, 'why', s.why, 'v', next_version()) end
  return moved or s.why
end

local function save_messages()
  local bodies = {}
  for mid, msg in pairs(messages) do
    local args, changed = {}, false
    for sid, value in pairs(msg.changed) do
      args[#args + 1] = sid
      args[#args + 1] = value
      changed = true
    end
    if changed then
      local m = msg.m
      if m then
        args[#args + 1] = ''
        args[#args + 1] = pack_message(m)
      end
      local key = P .. 'm:' .. mid
      batch('HSET', key, args)
      if not m or m.open == 0 then
        bodies[#bodies + 1] = P .. 'b:' .. (m and m.seq or msg.seq)
        call('PEXPIRE', key, C.ledgerMs)
      end
    end
  end
  for i = 1, #bodies, 500 do call('UNLINK', unpack(bodies, i, min(i + 499, #bodies))) end
end

load_groups()
local reply = {}
for at = 0, #ARGV - 1, WIDTH do
  local result = settle(at)
  local q = groups[ARGV[at + 1]].q
  reply[#reply + 1] = result
  reply[#reply + 1] = q and max(0, q.gate - now) or 0
end

begin()
local touched = {}
for _, sid in ipairs(order) do
  local g = groups[sid]
  if g.s and save_group(sid, g) then touched[#touched + 1] = g end
end
save_messages()
save_traces(traces)
save_quotas()
for _, g in ipairs(touched) do activate(g.s, g.q, false) end
save_counts()
return reply
