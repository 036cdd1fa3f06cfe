-- open_gate: ends a quota's cool-down by hand. A gate that was closed stays half open: its probe
-- still goes first, as the endpoint decides.
-- KEYS[1]  prefix of the partition; touches active, q: reads s: r: z: f: holders:
-- ARGV[1]  QID
-- Returns  1 done, 0 no such quota
local q = quota(ARGV[1])
if not q then return 0 end
local s = not q.shared and subscriber(q.id)
if not q.shared and not s then return 0 end
begin()
put(q, 'gate', 0)
save_quota(q)
if q.shared then wake_holders(q) else activate(s, q, false) end
return 1
