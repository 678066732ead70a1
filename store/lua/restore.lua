-- Puts a session in as it was elsewhere, unless there is one of its name.
-- KEYS  1 state  2 lease  3 events  4 history  5 turns  6 requests  7 late results, if there are any
-- ARGV  1 state  2 event_seq  3 claim in the due index  4 when it is due, or ''  5 when it was touched  6 ms to keep it, or 0
--       7 turns to remember  8 records, one a line: kind, hash before it, body  9 head of the log
--       10 late results, one a line  11 ms to keep these  12 now in ms, or ''
--       13.. for each request that was answered: its id, and "record of the reply, fingerprint"
-- Returns 1, or 0 if there is one.
local state, lease, events, history, turns, requests = unpack(KEYS)
if redis.call('EXISTS', state, lease) > 0 then return 0 end
local last = keep_records(events, history, requests, ARGV[8], 1, ARGV[7])
for i = 13, #ARGV, 2 do redis.call('HSET', turns, ARGV[i], ARGV[i + 1]) end
redis.call('SET', state, ARGV[1])
redis.call('HSET', lease, 'fence', string.format('%.0f', now_ms(ARGV[12])), 'until', 0, 'event_seq', ARGV[2], 'records', last,
    'claim', ARGV[3], 'due', ARGV[4], 'touched', ARGV[5], 'keep', ARGV[6], 'head', ARGV[9])
if ARGV[6] ~= '0' then expire(KEYS, ARGV[6]) end
for result in string.gmatch(ARGV[10], '[^\n]+') do redis.call('RPUSH', KEYS[7], result) end
if KEYS[7] then expire({KEYS[7]}, ARGV[11]) end
return 1
