-- quota: a quota as people see it.
-- KEYS[1]  prefix of the partition; reads q: s: holders:
-- ARGV     QIDs
-- Returns  per QID nil or {configuration, gateInMs, 1 when shared, SID of up to 100 holders …}
local reply = {}
for i = 1, #ARGV do
  local q = quota(ARGV[i])
  if not q or (not q.shared and call('EXISTS', P .. 's:' .. q.id) == 0) then
    reply[i] = false
  else
    local view = {call('HGET', P .. 'q:' .. q.id, 'cfg'), max(0, q.gate - now), q.shared and 1 or 0}
    if q.shared then
      for _, sid in ipairs(call('ZRANGE', P .. 'holders:' .. q.id, 0, 99)) do view[#view + 1] = sid end
    else
      view[#view + 1] = q.id
    end
    reply[i] = view
  end
end
return reply
