-- totals: a partition's sums, and since when the oldest heads of its ready lines wait.
-- KEYS[1]  prefix of the partition; reads n, subs, active, r: d: b:
-- ARGV[1]  'all' for the 32 oldest heads of those for which something can be done; 'these' for those
--          of the SIDs in ARGV[2…], at most 32
-- Returns  {acc, del, can, pur, ready, delayed, inflight, dead, reconciling, subscribers,
--          now, looked at, bound, SID, since, SID, since, …}; no other head waits since before
--          bound, where all were looked at
-- At most 5,000 are looked at, soonest first: a few ms.
local v = call('HMGET', P .. 'n', 'acc', 'del', 'can', 'pur', '-', 'delayed', 'inflight', 'dead',
  'reconciling')
local reply = {}
for i = 1, 9 do reply[i] = max(0, tonumber(v[i] or 0)) end
-- What is ready is what is left of the accepted.
local elsewhere = 0
for i = 2, 9 do elsewhere = elsewhere + reply[i] end
reply[5] = max(0, reply[1] - elsewhere)
reply[10] = call('ZCARD', P .. 'subs')

local sids = {unpack(ARGV, 2)}
if ARGV[1] == 'all' then sids = call('ZRANGE', P .. 'active', 0, 4999) end
local heads = {}
for _, sid in ipairs(sids) do
  local head = call('ZRANGE', P .. 'r:' .. sid, 0, 0, 'WITHSCORES')
  if head[1] then heads[#heads + 1] = {sid = sid, seq = head[1], rank = tonumber(head[2])} end
end
-- Nothing is eligible earlier than an hour before its rank, so those of the lowest ranks are worth
-- looking at, and the next of them bounds the rest.
table.sort(heads, function(a, b) return a.rank < b.rank end)
local beyond = heads[33]
reply[11], reply[12], reply[13] = now, #sids, beyond and max(0, beyond.rank - RANK_MS) or now
for i = 1, min(32, #heads) do
  local head = heads[i]
  reply[#reply + 1] = head.sid
  reply[#reply + 1] = head_since(head.sid, head.seq, head.rank)
end
return reply
