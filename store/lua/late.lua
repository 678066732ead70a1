-- Keeps results of calls that ended after their worker had lost the turn; not of a session that was removed meanwhile.
-- KEYS  1 list  2 lease; ARGV  1 ms to keep it, or 0  2.. the results
if redis.call('EXISTS', KEYS[2]) == 0 then return 0 end
for i = 2, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
expire({KEYS[1]}, ARGV[1])
return 1
