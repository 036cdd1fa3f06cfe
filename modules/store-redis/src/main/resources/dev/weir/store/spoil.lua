-- spoil: gives up claimed deliveries whose stored message the claimer can't read. They become dead
-- letters and keep what is stored, byte for byte.
-- KEYS[1]  prefix of the partition; touches active, fs, xs, n, q: s: r: z: f: x: d: w:
-- ARGV[1]  SID    ARGV[2] claim id    ARGV[3…] sequences
-- Returns  how many
-- Why not left to their leases: at the head of the line they would spoil each claim after that one,
-- for everybody in it.
local sid, claim = ARGV[1], ARGV[2]
local s = subscriber(sid)
if not s then return 0 end
local q = quota(s.q)
local given_up = 0
begin()
for i = 3, #ARGV do
  local seq = ARGV[i]
  local d = delivery(call('HGET', P .. 'd:' .. sid, seq) or nil)
  if d.claim == claim and call('ZREM', P .. 'f:' .. sid, seq) == 1 then
    if q and q.probe == probe_name(sid, seq, claim) then clear_probe(q) end
    d.claim, d.last = '-', claim
    call('HSET', P .. 'd:' .. sid, seq, pack_delivery(d))
    call('ZADD', P .. 'x:' .. sid, int(now), seq)
    call('HSET', P .. 'w:' .. sid, seq, '-1 body lost: what is stored can not be read')
    given_up = given_up + 1
  end
end
index('f', sid)
index('x', sid)
count('inflight', -given_up)
count('dead', given_up)
save_quotas()
activate(s, q, false)
save_counts()
return given_up
