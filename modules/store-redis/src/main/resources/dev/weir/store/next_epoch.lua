-- next_epoch: a store epoch that is higher than any before.
-- KEYS[1]  weir:meta
-- Returns  the epoch
-- Why a script for one increment: a full store refuses the bare command, and a node must be able to
-- start on a full store to drain it. The first write deletes nothing, see lib.
redis.call('HDEL', KEYS[1], '')
return redis.call('HINCRBY', KEYS[1], 'epoch', 1)
