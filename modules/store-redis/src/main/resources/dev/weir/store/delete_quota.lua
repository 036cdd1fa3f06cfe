-- delete_quota: removes a shared quota that nobody uses. What was spent outlives it until it would
-- have come back, so that creating it anew gives no second burst.
-- KEYS[1]  prefix of the partition; touches quotas, holders:, q:
-- ARGV[1]  QID
-- Returns  0 deleted, 1 unknown, 2 in use
local q = quota(ARGV[1])
if not q or not q.shared then return 1 end
if call('EXISTS', P .. 'holders:' .. q.id) == 1 then return 2 end
begin()
call('ZREM', P .. 'quotas', q.id)
retire_quota(q)
return 0
