-- answered: notes that the publish bound to a key was answered; a repeat then needs no publish.
-- KEYS[1]  prefix of the key's partition; touches k:
-- ARGV[1]  the key, escaped    ARGV[2] request hash
-- Returns  1 noted, 0 the key is not bound to this request
local key = P .. 'k:' .. ARGV[1]
if call('HGET', key, 'request') ~= ARGV[2] then return 0 end
begin()
call('HSET', key, 'answered', '1')
call('PEXPIRE', key, C.ledgerMs)
return 1
