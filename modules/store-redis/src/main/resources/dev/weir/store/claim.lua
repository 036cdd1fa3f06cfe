-- claim: hands out deliveries of several subscribers of one partition, in rank order, each under a
-- lease. Lapsed leases are ended and due deliveries promoted first, at most 100 of each.
-- KEYS[1]  prefix of the partition; touches epoch, active, fs, n, q: s: r: z: f: x: y: d: w: b:
-- ARGV[1]  store epoch of the claimer    ARGV[2] claim id    ARGV[3] byte limit of the reply
-- ARGV[4…] per subscriber: SID, how many are wanted
-- Returns  per subscriber {limit, nextInMs, version, meta, body, meta, body, …}; meta is
--          "seq attempt failures limited redrives eligible claimed first probe"; limit is a number,
--          see LIMIT; nextInMs -1 when only a wake-up will tell
-- Error    FENCED when a newer process announced a higher epoch here
-- Why the token is spent here, before the request is written: a claimer that dies afterwards has
-- then under-used the quota; spent after the write it would over-use it.
-- Why it may run twice: the subscriber keeps the last claim id, and one that comes again gets what
-- it holds and nothing more. A reply that is lost for good comes back at its lease end.
local LIMIT = {NONE = 0, EMPTY = 1, GATE = 2, PROBE = 3, RAMP = 4, QUOTA = 5, IN_FLIGHT = 6,
  PAUSED = 7, UNKNOWN = 8, BYTES = 9}

local announced = tonumber(call('GET', P .. 'epoch') or 0)
if announced > tonumber(ARGV[1]) then
  return redis.error_reply('FENCED epoch ' .. int(announced) .. ' is in force, not ' .. ARGV[1])
end

local claim, max_bytes = ARGV[2], tonumber(ARGV[3])
local bytes, average = 0, 1024

local function promote(s)
  local z = P .. 'z:' .. s.sid
  local due = call('ZRANGEBYSCORE', z, '-inf', now, 'WITHSCORES', 'LIMIT', 0, 100)
  if #due == 0 then return end
  local seqs, ranks = {}, {}
  for i = 1, #due, 2 do
    seqs[#seqs + 1] = due[i]
    ranks[i] = rank_of(tonumber(due[i + 1]), deliver_by(due[i]))
    ranks[i + 1] = due[i]
  end
  batch('ZREM', z, seqs)
  batch('ZADD', P .. 'r:' .. s.sid, ranks)
  count('delayed', -#seqs)
  count('ready', #seqs)
end

-- Bodies that are gone or can't be read would block the line: they become dead letters.
local function bury(s, seqs)
  local dead, ws = {}, {}
  for i, seq in ipairs(seqs) do
    dead[2 * i - 1], dead[2 * i] = now, seq
    ws[2 * i - 1], ws[2 * i] = seq, '-1 body lost'
  end
  batch('ZREM', P .. 'r:' .. s.sid, seqs)
  batch('ZADD', P .. 'x:' .. s.sid, dead)
  batch('HSET', P .. 'w:' .. s.sid, ws)
  index('x', s.sid)
  count('ready', -#seqs)
  count('dead', #seqs)
end

local function eligible_by(rank, by, accepted, deliver_at)
  if rank == by then return max(tonumber(accepted), tonumber(deliver_at)) end
  return rank - RANK_MS
end

-- Takes up to want ready deliveries; answers how many, and whether the bytes ran out.
local function take(s, q, want, reply, probe)
  local r = P .. 'r:' .. s.sid
  local lease_end = now + s.lease
  local lease_text, taken, size = int(lease_end), 0, #reply
  local first_begins = '1 0 0 0 ' .. now_text .. ' '
  local first_ends = ' ' .. now_text .. ' ' .. claim .. ' -'
  local meta_ends = ' ' .. now_text .. ' ' .. now_text .. ' ' .. probe
  local lost, seqs, leases, ds = {}, {}, {}, {}
  local seen, full = 0, false
  while taken < want and #lost < 100 and not full do
    local page = call('ZRANGE', r, seen, seen + want - taken - 1, 'WITHSCORES')
    if #page == 0 then break end
    local at = 1
    while at < #page and not full do
      local n = max(1, min(64, floor((max_bytes - bytes) / average), (#page - at + 1) / 2))
      local keys, members = {}, {}
      for i = 1, n do
        members[i] = page[at + 2 * (i - 1)]
        keys[i] = P .. 'b:' .. members[i]
      end
      local bodies = call('MGET', unpack(keys))
      local texts = call('HMGET', P .. 'd:' .. s.sid, unpack(members))
      for i = 1, n do
        local seq, body = members[i], bodies[i]
        local by, accepted, deliver_at
        if body then by, accepted, deliver_at = match(body, '^1 (%-?%d+) (%d+) (%-?%d+) %S+ %d+\n') end
        if not by then
          lost[#lost + 1] = seq
        elseif bytes > 0 and bytes + #body > max_bytes then
          full = true
          break
        else
          bytes = bytes + #body
          average = max(64, #body)
          taken = taken + 1
          seqs[taken] = seq
          leases[2 * taken - 1], leases[2 * taken] = lease_text, seq
          local rank, text, meta = page[at + 2 * i - 1], texts[i], nil
          if text then
            local d = delivery(text)
            if d.eligible == 0 then d.eligible = eligible_by(rank, by, accepted, deliver_at) end
            d.attempts = d.attempts + 1
            if d.first == 0 then d.first = now end
            d.claimed, d.claim = now, claim
            text = pack_delivery(d)
            meta = d.attempts .. ' ' .. d.failures .. ' ' .. d.limited .. ' ' .. d.redrives .. ' '
              .. d.eligible .. ' ' .. now_text .. ' ' .. d.first .. ' ' .. probe
          else
            -- Almost all of them: the first attempt, with almost all of its record known beforehand.
            local eligible = eligible_by(rank, by, accepted, deliver_at)
            text = first_begins .. eligible .. first_ends
            meta = '1 0 0 0 ' .. eligible .. meta_ends
          end
          ds[2 * taken - 1], ds[2 * taken] = seq, text
          size = size + 2
          reply[size - 1], reply[size] = seq .. ' ' .. meta, body
        end
      end
      at = at + 2 * n
    end
    seen = seen + #page / 2
  end
  if #lost > 0 then bury(s, lost) end
  if #seqs > 0 then
    batch('ZREM', r, seqs)
    batch('ZADD', P .. 'f:' .. s.sid, leases)
    batch('HSET', P .. 'd:' .. s.sid, ds)
    count('ready', -#seqs)
    count('inflight', #seqs)
    if probe == 1 then
      put(q, 'probe', probe_name(s.sid, seqs[1], claim))
      put(q, 'probeend', lease_end)
      put(q, 'probeat', now)
    end
  end
  return #seqs, full
end

local function until_lease(sid)
  local head = call('ZRANGE', P .. 'f:' .. sid, 0, 0, 'WITHSCORES')
  return head[2] and max(0, tonumber(head[2]) - now) or -1
end

-- Nothing is ready: the next delayed one, or the next lease that lapses.
local function until_more(sid)
  local lease = until_lease(sid)
  local head = call('ZRANGE', P .. 'z:' .. sid, 0, 0, 'WITHSCORES')
  if not head[2] then return lease end
  local due = max(0, tonumber(head[2]) - now)
  return lease >= 0 and min(lease, due) or due
end

-- The reply to this very claim was lost: the same deliveries once more.
local function again(s, q, reply)
  local held = call('ZRANGE', P .. 'f:' .. s.sid, 0, -1)
  for i = 1, #held, 500 do
    local seqs = {}
    for j = i, min(i + 499, #held) do seqs[#seqs + 1] = held[j] end
    local texts = call('HMGET', P .. 'd:' .. s.sid, unpack(seqs))
    for j, seq in ipairs(seqs) do
      local d = delivery(texts[j])
      local body = d.claim == claim and call('GET', P .. 'b:' .. seq)
      if body then
        local probe = q.probe == probe_name(s.sid, seq, claim) and 1 or 0
        reply[#reply + 1] = seq .. ' ' .. d.attempts .. ' ' .. d.failures .. ' ' .. d.limited .. ' '
          .. d.redrives .. ' ' .. d.eligible .. ' ' .. d.claimed .. ' ' .. d.first .. ' ' .. probe
        reply[#reply + 1] = body
      end
    end
  end
  return reply
end

-- Sets limit and wait in the reply, and fills it with deliveries.
local function serve(s, q, asked, reply)
  if s.st ~= 'a' or (q.t < 0 and not q.shared) then return LIMIT.PAUSED, -1 end
  if q.gate > now then return LIMIT.GATE, q.gate - now end
  local want, probe = asked, 0
  if q.half == 1 then
    if q.probe ~= '' and q.probeend > now then
      return LIMIT.PROBE, q.probeend - now
    end
    want, probe = 1, 1
  end
  local cap, slow = s.cap, 1
  if q.ramp > 0 then
    local share = 0.1 + 0.9 * (now - q.ramp) / C.rampMs
    if share >= 1 then
      put(q, 'ramp', 0)
    else
      cap, slow = max(1, floor(s.cap * share)), 1 / share
    end
  end
  local inflight = call('ZCARD', P .. 'f:' .. s.sid)
  if inflight >= s.cap then return LIMIT.IN_FLIGHT, until_lease(s.sid) end
  if inflight >= cap then return LIMIT.RAMP, 100 end
  local free = min(want, cap - inflight)
  local tokens = allowed(q, free, slow)
  local waits = slow > 1 and LIMIT.RAMP or LIMIT.QUOTA
  if tokens == 0 then
    if q.t < 0 then return LIMIT.QUOTA, -1 end
    return waits, max(1, token_wait(q, slow))
  end
  local given, full = take(s, q, tokens, reply, probe)
  if given > 0 then
    if inflight == 0 then call('ZADD', P .. 'fs', 0, s.sid) end
    call('HSET', P .. 's:' .. s.sid, 'lc', claim)
    if q.t > 0 then
      local tat, tatf = spent(q, given, slow)
      put(q, 'tat', tat)
      put(q, 'tatf', tatf)
    end
  end
  if given == asked then return LIMIT.NONE, nil end
  if full then return LIMIT.BYTES, 0 end
  if given < tokens then return LIMIT.EMPTY, until_more(s.sid) end
  if probe == 1 then return LIMIT.PROBE, s.lease end
  if tokens < free then return waits, max(1, token_wait(q, slow)) end
  if slow > 1 then return LIMIT.RAMP, 100 end
  return LIMIT.IN_FLIGHT, until_lease(s.sid)
end

local function claim_for(sid, asked)
  local s = subscriber(sid)
  local q = s and quota(s.q)
  if not q or s.st == 'x' then return {LIMIT.UNKNOWN, -1, 0} end
  if s.last_claim == claim then
    return again(s, q, {LIMIT.BYTES, 0, max(s.v, q.v)})
  end
  lapse(s, q, call('ZRANGEBYSCORE', P .. 'f:' .. sid, '-inf', now, 'LIMIT', 0, 100),
    'lease lapsed')
  promote(s)
  local reply = {0, 0, max(s.v, q.v)}
  local limit, wait = serve(s, q, asked, reply)
  local at = activate(s, q, false)
  if not wait then wait = at and max(0, at - now) or -1 end
  reply[1], reply[2] = limit, wait
  return reply
end

begin()
local replies = {}
for i = 4, #ARGV, 2 do
  replies[#replies + 1] = claim_for(ARGV[i], tonumber(ARGV[i + 1]))
end
save_quotas()
save_counts()
return replies
