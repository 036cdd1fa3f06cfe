-- begin_epoch: the next store epoch.
-- KEYS[1]  weir:meta
-- Returns  the epoch
-- Why it isn't a plain HINCRBY: at maxmemory that is refused, and a node that can't start can't empty
-- the store. Deleting a field that isn't there lets the script through, like begin().
call('HDEL', KEYS[1], '')
return call('HINCRBY', KEYS[1], 'epoch', 1)
