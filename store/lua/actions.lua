-- What was done in older turns, for a worker whose memory of them does not join on to what `begin.lua` gave it.
-- KEYS  1 events  2 requests; ARGV  1 last turns without their actions  2 bytes of an event
local starts = redis.call('LRANGE', KEYS[2], 0, -1)
return actions_before(KEYS[1], starts, tonumber(ARGV[1]), tonumber(starts[1] or 0), tonumber(ARGV[2]))
