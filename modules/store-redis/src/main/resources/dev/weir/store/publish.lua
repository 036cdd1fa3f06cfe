-- publish: stores a message once in a partition, with one delivery per target.
-- KEYS[1]  prefix of the partition; touches active, n, s: r: z: m: b:
-- ARGV[1]  MID    ARGV[2] body hash    ARGV[3] deliverAt, ms (-1 none)    ARGV[4] delay, ms
-- ARGV[5]  deliverBy, ms (-1 none)     ARGV[6] length of the envelope     ARGV[7] envelope and body
-- ARGV[8]  1: store nothing unless every target is known and free of conflict; 0: skip those
-- ARGV[9…] SIDs, at most 100
-- Returns  per target: 0 unknown, 1 conflict (same message, other body), 2 exists (or did, within
--          the ledger's life), 3 created and due now, 4 created for later
-- Why it may run twice: the pair's field in m: is written with the delivery; a second run sees it.
-- First write grows memory on purpose: a full store refuses new messages and nothing else.
-- Why acc is the message's number: each new message brings at least one delivery, acc only grows, and
-- so one write serves both.
local UNKNOWN, CONFLICT, EXISTS, DUE, LATER = 0, 1, 2, 3, 4
local mid, hash, by = ARGV[1], ARGV[2], tonumber(ARGV[5])
local sids = {}
for i = 9, #ARGV do sids[#sids + 1] = ARGV[i] end

local key = P .. 'm:' .. mid
local due = max(tonumber(ARGV[3]), now + tonumber(ARGV[4]))
local later = due > now
local codes, subs, fresh, active, refused = {}, {}, {}, {}, false
local head, pairs_of = nil, {}
do
  local v = call('HMGET', key, '', unpack(sids))
  head = v[1]
  for i = 1, #sids do pairs_of[i] = v[i + 1] end
end
local seq, known_hash, open
if head then
  seq, known_hash, open = match(head, '^(%d+) (%S+) (%d+)$')
  open = tonumber(open)
end

for i, sid in ipairs(sids) do
  local state = call('HGET', P .. 's:' .. sid, 'st')
  if not state or state == 'x' then
    codes[i], refused = UNKNOWN, true
  elseif head and known_hash ~= hash then
    codes[i], refused = CONFLICT, true
  elseif pairs_of[i] then
    codes[i] = EXISTS
  else
    codes[i] = later and LATER or DUE
    subs[#subs + 1] = sid
    active[sid] = state == 'a'
    fresh[#fresh + 1] = sid
    fresh[#fresh + 1] = 'o'
  end
end
if #subs == 0 or refused and ARGV[8] == '1' then return codes end

local number = call('HINCRBY', P .. 'n', 'acc', #subs)
if not head then seq, open = int(number), 0 end
if open == 0 then
  call('SET', P .. 'b:' .. seq, '1 ' .. ARGV[5] .. ' ' .. now_text .. ' ' .. ARGV[3] .. ' ' .. mid
    .. ' ' .. ARGV[6] .. '\n' .. ARGV[7])
end
call('HSET', key, '', seq .. ' ' .. hash .. ' ' .. int(open + #subs), unpack(fresh))
if head and open == 0 then call('PERSIST', key) end
local score = int(later and due or rank_of(max(now, tonumber(ARGV[3])), by))
local line = P .. (later and 'z:' or 'r:')
for _, sid in ipairs(subs) do
  call('ZADD', line .. sid, score, seq)
  call('HINCRBY', P .. 's:' .. sid, 'acc', 1)
  -- Behind others that are ready it changes nothing about when something can be done. Else it is
  -- noted as if nothing but this delivery counted: too early, where a gate or the tokens are later,
  -- which the sweep finds out, and never too late. To read all that here would double the cost.
  if active[sid] and (later or call('ZCARD', line .. sid) == 1) then
    call('ZADD', P .. 'active', 'LT', later and score or now_text, sid)
  end
end
if later then call('HINCRBY', P .. 'n', 'delayed', #subs) end
return codes
