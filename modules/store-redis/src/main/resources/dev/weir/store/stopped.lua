-- stopped: dead letters or reconciling deliveries of one partition, oldest first per subscriber.
-- KEYS[1]  prefix of the partition; reads xs ys x: y: d: w: b:
-- ARGV[1]  x or y    ARGV[2] SID, empty for all    ARGV[3] how many at most
-- ARGV[4…6] after: SID, since, seq (all empty: from the first)
-- Returns  {SID, seq, since, MID or empty, delivery, why, …}
local set, only, limit = ARGV[1], ARGV[2], tonumber(ARGV[3])
local after, since, last = ARGV[4], ARGV[5], ARGV[6]
local reply = {}

-- Members with one score lie in byte order, so those that the last page gave are skipped by it.
local function list(sid, from, skip)
  local at = 0
  while limit > 0 do
    local page = call('ZRANGEBYSCORE', P .. set .. ':' .. sid, from or '-inf', '+inf', 'WITHSCORES',
      'LIMIT', at, 100)
    if #page == 0 then return end
    for i = 1, #page, 2 do
      if limit > 0 and not (from and page[i + 1] == from and page[i] <= skip) then
        local seq = page[i]
        for _, value in ipairs({sid, seq, page[i + 1], mid_of(seq) or '',
          call('HGET', P .. 'd:' .. sid, seq) or '', call('HGET', P .. 'w:' .. sid, seq) or ''}) do
          reply[#reply + 1] = value
        end
        limit = limit - 1
      end
    end
    at = at + 100
  end
end

if after ~= '' then list(after, since, last) end
if only ~= '' then
  if after == '' then list(only) end
  return reply
end
local from = after
while limit > 0 do
  local sids = call('ZRANGEBYLEX', P .. set .. 's', from ~= '' and '(' .. from or '-', '+', 'LIMIT', 0, 100)
  if #sids == 0 then break end
  for _, sid in ipairs(sids) do list(sid) end
  from = sids[#sids]
end
return reply
