-- find: one delivery as people see it.
-- KEYS[1]  prefix of the partition; reads m: r: z: f: x: y: d: h: w: t: b:
-- ARGV[1]  MID    ARGV[2] SID
-- Returns  nothing when it is unknown, else {set or ledger mark, score or when, delivery, why, trace,
--          beginning of the body up to the end of its envelope, eligible}; absent ones empty
local mid, sid = ARGV[1], ARGV[2]
local m, pair = message(mid, sid)
if not m or not pair then return {} end
local head = call('GETRANGE', P .. 'b:' .. m.seq, 0, 1023)
local line, length = match(head, '^(1 %S+ %S+ %S+ %S+ (%d+)\n)')
if line then head = call('GETRANGE', P .. 'b:' .. m.seq, 0, #line + length - 1) else head = '' end
if pair ~= 'o' then
  local trace = call('HGET', trace_key(tonumber(match(pair, '^%a (%d+)'))), mid .. '|' .. sid)
  return {pair, 0, '', '', trace or '', head, 0}
end
local set, score = place(sid, m.seq)
if not set then return {} end
local text = call('HGET', P .. 'd:' .. sid, m.seq)
local eligible = delivery(text or nil).eligible
if set == 'z' then
  eligible = score
elseif eligible == 0 then
  eligible = eligible_of(m.seq, score)
end
return {set, score, text or '', call('HGET', P .. 'w:' .. sid, m.seq) or '',
  call('HGET', P .. 'h:' .. sid, m.seq) or '', head, eligible}
