-- totals: a partition's sums, and since when the oldest heads of its ready lines wait.
-- KEYS[1]  prefix of the partition; reads n, subs, active, r: d: b:
-- ARGV[1]  'all' to look at the head of every line for which something can be done; 'these' for those
--          in ARGV[2…]: SID and since when its head waited at least, the oldest first
-- Returns  {acc, del, can, pur, ready, delayed, inflight, dead, reconciling, subscribers,
--          now, looked at, bound, SID, since, SID, since, …}. 'all': the 8 oldest, and no other waits
--          since before bound. 'these': as many as it took to find the oldest; -1 for an empty line
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

local NAMED = 8

local function name(sid, since)
  reply[#reply + 1] = sid
  reply[#reply + 1] = since
end

local function head_of(sid)
  local head = call('ZRANGE', P .. 'r:' .. sid, 0, 0, 'WITHSCORES')
  return head[1], tonumber(head[2])
end

-- Nothing is eligible earlier than an hour before its rank, so the heads of the lowest ranks are
-- worth looking at, and the next of them bounds the rest.
local function look_at_all()
  local sids, heads = call('ZRANGE', P .. 'active', 0, 4999), {}
  for _, sid in ipairs(sids) do
    local seq, rank = head_of(sid)
    if seq then heads[#heads + 1] = {sid = sid, seq = seq, rank = rank} end
  end
  table.sort(heads, function(a, b) return a.rank < b.rank end)
  local beyond = heads[NAMED + 1]
  reply[12], reply[13] = #sids, beyond and max(0, beyond.rank - RANK_MS) or now
  for i = 1, min(NAMED, #heads) do
    local head = heads[i]
    name(head.sid, head_since(head.sid, head.seq, head.rank))
  end
end

local function look_at_these()
  reply[12], reply[13] = 0, 0
  local oldest = math.huge
  for i = 2, #ARGV, 2 do
    if oldest <= tonumber(ARGV[i + 1]) then break end
    local seq, rank = head_of(ARGV[i])
    local since = seq and head_since(ARGV[i], seq, rank) or -1
    if seq then oldest = min(oldest, since) end
    name(ARGV[i], since)
  end
end

reply[11] = now
if ARGV[1] == 'all' then look_at_all() else look_at_these() end
return reply
