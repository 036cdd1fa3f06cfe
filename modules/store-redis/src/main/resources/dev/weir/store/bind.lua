-- bind: binds an idempotency key to a request and a message id, unless it is bound already.
-- KEYS[1]  prefix of the key's partition; touches k:
-- ARGV[1]  the key, escaped    ARGV[2] request hash    ARGV[3] MID to bind when it is new
-- Returns  {0, MID} bound to this request, {1, MID} answered before, {2} belongs to another request
local key = P .. 'k:' .. ARGV[1]
local v = call('HMGET', key, 'request', 'mid', 'answered')
if not v[1] then
  call('HSET', key, 'request', ARGV[2], 'mid', ARGV[3])
  call('PEXPIRE', key, C.ledgerMs)
  return {0, ARGV[3]}
end
if v[1] ~= ARGV[2] then return {2} end
return {v[3] and 1 or 0, v[2]}
