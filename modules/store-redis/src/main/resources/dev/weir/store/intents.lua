-- intents: publishes that were begun some time ago and not finished, oldest first.
-- KEYS[1]  prefix of the partition; reads intents
-- ARGV[1]  how long ago at least, ms    ARGV[2] how many at most
-- Returns  their names
return call('ZRANGEBYSCORE', P .. 'intents', '-inf', int(now - tonumber(ARGV[1])), 'LIMIT', 0, ARGV[2])
