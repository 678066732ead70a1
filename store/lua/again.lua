-- Writes the record of an answered request anew, as it is, so that replicas can be waited for: a reply is about to be said again.
-- KEYS  1 turns; ARGV  1 request
local done = redis.call('HGET', KEYS[1], ARGV[1])
if done then redis.call('HSET', KEYS[1], ARGV[1], done) end
return 1
