-- delete: removes a subscriber step by step. From the first call on nothing new comes to it.
-- KEYS[1]  prefix of the partition; touches active, deleting, fs, xs, ys, subs, holders:, n, s: q: r:
--          z: f: x: y: d: h: w: m: b:
-- ARGV[1]  SID    ARGV[2] how many deliveries to purge at most; 0 only begins
-- Returns  how many are left, at least 1 until the subscriber itself is gone; 0 then; -1 when there
--          is no such subscriber
-- Why in steps: a backlog of millions in one script would hold up every other subscriber.
local sid, limit = ARGV[1], tonumber(ARGV[2])
local s = subscriber(sid)
if not s then
  begin()
  call('ZREM', P .. 'deleting', sid)
  return -1
end
begin()
if s.st ~= 'x' then
  call('HSET', P .. 's:' .. sid, 'st', 'x', 'v', next_version())
  call('ZADD', P .. 'deleting', 0, sid)
  call('ZREM', P .. 'active', sid)
end
if limit == 0 then return 1 end

local left = 0
for _, set in ipairs(SETS) do
  local key = P .. set .. ':' .. sid
  if limit > 0 then
    local seqs = call('ZRANGE', key, 0, limit - 1)
    purge_from(set, sid, seqs)
    -- Its attempts may still end, but none will be heard as the probe.
    local q = set == 'f' and #seqs > 0 and quota(s.q)
    if q and string.sub(q.probe, 1, #sid + 1) == sid .. ' ' then clear_probe(q) end
    limit = limit - #seqs
  end
  left = left + call('ZCARD', key)
end
save_counts()
save_quotas()
if left > 0 then return left end

local q = quota(s.q)
for _, name in ipairs({'s:', 'd:', 'h:', 'w:'}) do call('DEL', P .. name .. sid) end
for _, line in ipairs({'fs', 'xs', 'ys', 'subs', 'active', 'deleting'}) do call('ZREM', P .. line, sid) end
if q and q.shared then
  call('ZREM', P .. 'holders:' .. q.id, sid)
elseif q then
  retire_quota(q)
end
return 0
