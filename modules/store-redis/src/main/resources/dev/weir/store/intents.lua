-- intents: publishes that were begun some time ago and not finished, oldest first.
-- KEYS[1]  prefix of the partition; reads intents
-- ARGV[1]  how long ago at least, ms    ARGV[2] how many at most
-- Returns  their names; those from the future too: the clock stepped back since, nobody knows how long
--          ago they were begun, and to go on with one twice is harmless
local names = call('ZRANGEBYSCORE', P .. 'intents', '-inf', int(now - tonumber(ARGV[1])), 'LIMIT', 0, ARGV[2])
for _, name in ipairs(call('ZRANGEBYSCORE', P .. 'intents', '(' .. int(now), '+inf', 'LIMIT', 0,
  tonumber(ARGV[2]) - #names)) do
  names[#names + 1] = name
end
return names
