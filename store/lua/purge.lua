-- Removes all of a session, unless somebody is in it.
-- KEYS  1 state  2 lease  3 events  4 history  5 turns  6 requests  7 late results, if there are any; ARGV  1 now in ms, or ''
-- Returns {'none'} | {'busy', ms left} | {'gone'}
if redis.call('EXISTS', unpack(KEYS)) == 0 then return {'none'} end
local left = tonumber(redis.call('HGET', KEYS[2], 'until') or 0) - now_ms(ARGV[1])
if left > 0 then return {'busy', left} end
redis.call('DEL', unpack(KEYS))
return {'gone'}
