-- check_body: looks whether bodies belong to messages.
-- KEYS[1]  prefix of the partition; reads b: m:
-- ARGV     sequences
-- Returns  problems
local reply = {}
for i = 1, #ARGV do
  local seq = ARGV[i]
  if call('EXISTS', P .. 'b:' .. seq) == 1 then
    local mid = mid_of(seq)
    local m = mid and message(mid, '')
    if not mid then
      reply[#reply + 1] = 'body #' .. seq .. ' can not be read'
    elseif not m or m.seq ~= seq then
      reply[#reply + 1] = 'body #' .. seq .. ' is an orphan: message ' .. mid .. ' does not have it'
    end
  end
end
return reply
