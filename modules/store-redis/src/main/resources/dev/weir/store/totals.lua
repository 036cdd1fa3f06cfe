-- totals: a partition's sums, for metrics.
-- KEYS[1]  prefix of the partition; reads n, subs, active, r: d: b:
-- Returns  {acc, del, can, pur, ready, delayed, inflight, dead, reconciling, subscribers, age of the
--          oldest head of a ready line or -1}
-- Heads are looked at for at most 5,000 subscribers, soonest first: a few ms.
local v = call('HMGET', P .. 'n', 'acc', 'del', 'can', 'pur', '-', 'delayed', 'inflight', 'dead',
  'reconciling')
local reply = {}
for i = 1, 9 do reply[i] = max(0, tonumber(v[i] or 0)) end
-- What is ready is what is left of the accepted.
local elsewhere = 0
for i = 2, 9 do elsewhere = elsewhere + reply[i] end
reply[5] = max(0, reply[1] - elsewhere)
reply[10] = call('ZCARD', P .. 'subs')
local oldest = -1
for _, sid in ipairs(call('ZRANGE', P .. 'active', 0, 4999)) do
  oldest = max(oldest, age_of_head(sid, oldest))
end
reply[11] = oldest
return reply
