-- put_subscriber: creates or replaces a subscriber, with its own quota or under a shared one.
-- KEYS[1]  prefix of the partition; touches subs, holders:, active, ver, q: s:
-- ARGV[1]  SID    ARGV[2] QID    ARGV[3] configuration (opaque)    ARGV[4] in-flight cap
-- ARGV[5]  lease, ms    ARGV[6] 1: ambiguous attempts are held
-- ARGV[7…11] own quota only: n, t, tr, burst, configuration (opaque)
-- Returns  0 created, 1 replaced, 2 no such quota, 3 hangs on another quota, 4 is being deleted
local CREATED, REPLACED, NO_QUOTA, OTHER_QUOTA, DELETING = 0, 1, 2, 3, 4
local sid, qid, own = ARGV[1], ARGV[2], ARGV[7] ~= nil
local s = subscriber(sid)
if s and s.st == 'x' then return DELETING end
if s and s.q ~= qid then return OTHER_QUOTA end
local q = quota(qid)
if own then
  -- Ids of quotas are one name space: under a shared one it would need to name it.
  if q and q.shared then return NO_QUOTA end
  q = adopt_rate(q, qid, ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11], false)
elseif not q or not q.shared then
  return NO_QUOTA
end

local key = P .. 's:' .. sid
call('HSET', key, 'cfg', ARGV[3], 'q', qid, 'cap', ARGV[4], 'lease', ARGV[5], 'hold', ARGV[6],
  'v', next_version())
if not s then call('HSET', key, 'st', 'a', 'why', '') end
call('ZADD', P .. 'subs', 0, sid)
if not own then call('ZADD', P .. 'holders:' .. qid, 0, sid) end
activate(subscriber(sid), q, false)
return s and REPLACED or CREATED
