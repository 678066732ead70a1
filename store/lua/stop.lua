-- Asks the turn that is open to do nothing more, unless it is that of the request that asks, or that one was answered long ago.
-- KEYS  1 lease  2 turns; ARGV  1 request that asks. Returns 1, or 0 if there is no such turn.
local open = redis.call('HGET', KEYS[1], 'request')
if not open or open == ARGV[1] or redis.call('HGET', KEYS[2], ARGV[1]) then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
