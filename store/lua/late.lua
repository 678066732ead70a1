-- Keeps results of calls that ended after their worker had lost the turn.
-- KEYS  1 list; ARGV  1 ms to keep it, or 0  2.. the results
for i = 2, #ARGV do redis.call('RPUSH', KEYS[1], ARGV[i]) end
expire(KEYS, ARGV[1])
return 1
