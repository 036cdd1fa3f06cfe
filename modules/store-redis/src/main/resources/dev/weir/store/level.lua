-- level: what may be spent at once from a bucket that has no other evidence, see level_of.
-- KEYS[1]  prefix of the partition; reads q: s:
-- ARGV[1]  QID    ARGV[2] window, ms
-- Returns  the level as text, 0 to burst; -1 when there is no such quota
local q = quota(ARGV[1])
if not q or (not q.shared and call('EXISTS', P .. 's:' .. q.id) == 0) then return '-1' end
return int(level_of(q, tonumber(ARGV[2])))
