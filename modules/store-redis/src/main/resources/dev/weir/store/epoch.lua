-- epoch: announces a store epoch in one partition; from now on claims of older ones are refused.
-- KEYS[1]  prefix of the partition; touches epoch
-- ARGV[1]  the epoch
-- Returns  the epoch in force, which is higher when a still newer process was faster
local mine = tonumber(ARGV[1])
local known = tonumber(call('GET', P .. 'epoch') or 0)
if known >= mine then return known end
begin()
call('SET', P .. 'epoch', int(mine))
return mine
