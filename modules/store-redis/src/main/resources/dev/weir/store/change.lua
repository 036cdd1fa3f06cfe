-- change: what a person may do with a delivery: redrive, cancel, reschedule.
-- KEYS[1]  prefix of the partition; touches active, xs, ys, n, s: q: r: z: x: y: d: h: w: m: b: t:
-- ARGV[1]  MID    ARGV[2] SID    ARGV[3] redrive, cancel or reschedule    ARGV[4] when, ms, for the last
-- Returns  0 changed, 1 unknown, 2 was delivered, 3 not in a state that allows it
-- Why one that runs twice is harmless: the second finds the delivery in its new set and answers 3,
-- which the caller reads as "somebody did it".
local CHANGED, UNKNOWN, DELIVERED, WRONG_STATE = 0, 1, 2, 3
local mid, sid, what, at = ARGV[1], ARGV[2], ARGV[3], tonumber(ARGV[4])
local ALLOWED = {redrive = {x = true, y = true}, reschedule = {y = true},
  cancel = {r = true, z = true, x = true, y = true}}

local s = subscriber(sid)
if not s or s.st == 'x' then return UNKNOWN end
local m, pair = message(mid, sid)
if not m or not pair or match(pair, '^p') then return UNKNOWN end
if match(pair, '^d') then return DELIVERED end
if pair ~= 'o' then return WRONG_STATE end
local set = place(sid, m.seq)
if not set then return UNKNOWN end
if not ALLOWED[what][set] then return WRONG_STATE end

local text = call('HGET', P .. 'd:' .. sid, m.seq)
local d = delivery(text or nil)
local by = deliver_by(m.seq)
begin()
call('ZREM', P .. set .. ':' .. sid, m.seq)
count(GAUGE[set], -1)
if what == 'cancel' then
  local trace = call('HGET', P .. 'h:' .. sid, m.seq)
  finish(sid, m.seq, mid, 'c')
  for _, name in ipairs({'d:', 'h:', 'w:'}) do call('HDEL', P .. name .. sid, m.seq) end
  if trace then save_traces({mid .. '|' .. sid, trace}) end
  call('HINCRBY', P .. 's:' .. sid, 'can', 1)
  count('can', 1)
else
  call('HDEL', P .. 'w:' .. sid, m.seq)
  local to, score = 'r', nil
  if what == 'redrive' then
    d.failures, d.limited, d.first, d.redrives, d.eligible = 0, 0, 0, d.redrives + 1, now
    score = rank_of(now, by)
  else
    to, d.eligible, score = 'z', at, at
  end
  call('HSET', P .. 'd:' .. sid, m.seq, pack_delivery(d))
  call('ZADD', P .. to .. ':' .. sid, int(score), m.seq)
  count(GAUGE[to], 1)
end
if set == 'x' or set == 'y' then index(set, sid) end
activate(s, quota(s.q), true)
save_counts()
return CHANGED
