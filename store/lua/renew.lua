-- Starts the time of a lease anew.
-- KEYS  1 lease; ARGV  1 fence  2 request  3 now in ms, or ''  4 lease in ms. Returns 1, or 0 if it is void.
local held = redis.call('HMGET', KEYS[1], 'fence', 'request')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return 0 end
local now = now_ms(ARGV[3])
redis.call('HSET', KEYS[1], 'until', string.format('%.0f', now + ARGV[4]))
return 1
