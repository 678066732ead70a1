-- The breaker: may this caller try what gave no answer? One may, each time that the wait is over; with it the wait begins anew.
-- KEYS  1 hash: name -> ms until which it is left alone; ARGV  1 name  2 ms to leave it alone  3 'opens' if it just gave no answer
-- Returns 1 if the caller may call.
local until_ms, now = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0), now_ms('')
if ARGV[3] ~= 'opens' and now < until_ms then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f', now + ARGV[2]))
return 1
