-- commit: ends a publish: all its deliveries exist. Body and targets go, the hash stays as long as
-- the ledger, so that a repeat is told so.
-- KEYS[1]  prefix of the partition; touches intents, i:
-- ARGV[1]  the intent's name
-- Returns  1 committed now, 0 was so already
local key = P .. 'i:' .. ARGV[1]
call('ZREM', P .. 'intents', ARGV[1])
if call('HDEL', key, 'payload', 'targets', 'envelope', 'cursor', 'mid', 'at', 'by') == 0 then return 0 end
call('HSET', key, 'done', '1')
call('PEXPIRE', key, C.ledgerMs)
return 1
