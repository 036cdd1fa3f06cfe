-- set_state: pauses or resumes a subscriber.
-- KEYS[1]  prefix of the partition; touches active, ver, s: reads q: r: z: f:
-- ARGV[1]  SID    ARGV[2] a active, p paused    ARGV[3] why, empty when active
-- Returns  1 done (again, when it was so already), 0 no such subscriber
local s = subscriber(ARGV[1])
if not s or s.st == 'x' then return 0 end
begin()
call('HSET', P .. 's:' .. s.sid, 'st', ARGV[2], 'why', ARGV[3], 'v', next_version())
s.st = ARGV[2]
activate(s, quota(s.q), false)
return 1
