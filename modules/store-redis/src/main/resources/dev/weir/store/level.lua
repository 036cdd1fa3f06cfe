-- level: what may be spent at once from a bucket that has no other evidence, in micro-tokens: by the
-- TAT, less what may still be sent on claims of the last window.
-- KEYS[1]  prefix of the partition; reads q: s:
-- ARGV[1]  QID    ARGV[2] window, ms
-- Returns  the level as text, 0 to burst; -1 when there is no such quota
local q = quota(ARGV[1])
if not q or (not q.shared and call('EXISTS', P .. 's:' .. q.id) == 0) then return '-1' end
if q.t == 0 then return int(q.b * 1000000) end
if q.t < 0 then return '0' end
local per = q.t + q.tr / q.n
-- A bucket that has been full for longer than the window has no claim left to send.
local debt = (q.tat - now_us) + q.tatf / q.n - (q.idle_us or 0) + tonumber(ARGV[2]) * 1000
return int(max(0, min(q.b * 1000000, floor((q.b - debt / per) * 1000000))))
