-- advance: notes how far a publish has come. Never back: two that go on with one intent are harmless,
-- since each delivery is made once.
-- KEYS[1]  prefix of the partition; touches i:
-- ARGV[1]  the intent's name    ARGV[2] targets done
-- Returns  the cursor, -1 when the intent is committed or unknown
local key = P .. 'i:' .. ARGV[1]
local cursor = call('HGET', key, 'cursor')
if not cursor then return -1 end
if tonumber(ARGV[2]) <= tonumber(cursor) then return tonumber(cursor) end
begin()
call('HSET', key, 'cursor', ARGV[2])
return tonumber(ARGV[2])
