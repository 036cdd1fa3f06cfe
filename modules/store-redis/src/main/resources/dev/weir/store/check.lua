-- check: whether a message could be published to targets of one partition; changes nothing.
-- KEYS[1]  prefix of the partition; reads s: m:
-- ARGV[1]  MID    ARGV[2] body hash    ARGV[3…] SIDs, at most 100
-- Returns  per target: 0 unknown, 1 conflict (same message, other body), 2 fine
local head = call('HGET', P .. 'm:' .. ARGV[1], '')
local other = head and match(head, '^%d+ (%S+) ') ~= ARGV[2]
local codes = {}
for i = 3, #ARGV do
  local state = call('HGET', P .. 's:' .. ARGV[i], 'st')
  codes[i - 2] = (not state or state == 'x') and 0 or other and 1 or 2
end
return codes
