-- view: subscribers as people see them: configuration, state, sizes of their sets.
-- KEYS[1]  prefix of the partition; reads s: q: r: z: f: x: y: b:
-- ARGV     SIDs
-- Returns  per SID nil or {configuration, quota configuration, version, state, why, ready, delayed,
--          in flight, dead, reconciling, accepted, delivered, cancelled, purged, gateInMs,
--          age of the head of the ready line or -1, QID}
local function age_of_head(sid)
  local head = call('ZRANGE', P .. 'r:' .. sid, 0, 0, 'WITHSCORES')
  return head[1] and max(0, now - head_since(sid, head[1], tonumber(head[2]))) or -1
end

local function view(sid)
  local v = call('HMGET', P .. 's:' .. sid, 'cfg', 'q', 'v', 'st', 'why', 'acc', 'del', 'can', 'pur')
  if not v[1] or v[4] == 'x' then return false end
  local q = quota(v[2])
  return {v[1], q and call('HGET', P .. 'q:' .. v[2], 'cfg') or '', q and max(tonumber(v[3]), q.v) or 0,
    v[4], v[5] or '',
    call('ZCARD', P .. 'r:' .. sid), call('ZCARD', P .. 'z:' .. sid), call('ZCARD', P .. 'f:' .. sid),
    call('ZCARD', P .. 'x:' .. sid), call('ZCARD', P .. 'y:' .. sid),
    tonumber(v[6] or 0), tonumber(v[7] or 0), tonumber(v[8] or 0), tonumber(v[9] or 0),
    q and max(0, q.gate - now) or 0, age_of_head(sid), v[2]}
end

local reply = {}
for i = 1, #ARGV do reply[i] = view(ARGV[i]) end
return reply
