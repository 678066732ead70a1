-- Asks the turn that is open to do nothing more, unless it is that of the request that asks.
-- KEYS  1 lease; ARGV  1 request that asks. Returns 1, or 0 if there is no such turn.
local open = redis.call('HGET', KEYS[1], 'request')
if not open or open == ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
