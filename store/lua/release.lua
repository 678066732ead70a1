-- Gives a lease back; the turn stays open.
-- KEYS  1 lease; ARGV  1 fence  2 request  3 '0': it was an attempt; '1': it was not tried; '2': nor was it, but what is written of the
-- turn must stay. Returns 1, or 0 if it is void.
local held = redis.call('HMGET', KEYS[1], 'fence', 'request', 'attempts', 'stage')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'until', 0)
if ARGV[3] ~= '0' then
    if held[3] == '1' and (ARGV[3] == '1' or held[4] == '0') then
        redis.call('HDEL', KEYS[1], 'request', 'print', 'body', 'stage', 'attempts', 'owner', 'stop')
    else
        redis.call('HINCRBY', KEYS[1], 'attempts', -1)
    end
end
return 1
