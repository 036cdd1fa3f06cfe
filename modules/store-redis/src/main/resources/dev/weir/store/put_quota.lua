-- put_quota: creates or replaces a shared quota. Tokens in hand are kept, clipped to the new burst.
-- KEYS[1]  prefix of the partition; touches quotas, active, ver, q: reads s: holders:
-- ARGV[1]  QID    ARGV[2…6] n, t, tr, burst, configuration (opaque)
-- Returns  0 created, 1 replaced, 2 a subscriber has its own quota under this id
local qid = ARGV[1]
local q = quota(qid)
if q and not q.shared and call('EXISTS', P .. 's:' .. qid) == 1 then return 2 end
local existed = q and q.shared
q = adopt_rate(q, qid, ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6], true)
call('ZADD', P .. 'quotas', 0, qid)
wake_holders(q)
return existed and 1 or 0
