-- INTEND, RESULT, COMMIT: log records and the snapshot behind them, all or nothing. Everything is checked before the first write,
-- for a script that fails half way is not undone.
-- KEYS  1 state  2 lease  3 events  4 history  5 turns  6 requests
-- ARGV  1 fence  2 request  3 event_seq that must be stored  4 new event_seq  5 now in ms, or ''  6 lease in ms  7 stage, or 'final'
--       8 record of the reply, or 0  9 state  10 claim in the due index  11 when it is due, or ''  12 when it was touched
--       13 ms to keep an ended session, or 0  14 turns to remember  15 number of the first record
--       16 records, one a line: kind, hash before it, body  17 head of the log  18 '1' if it is refused once a stop was asked for
-- Returns {'done', the claim before} | {'fenced'} | {'stopped'} | {'gap', records stored}
local state, lease, events, history, turns, requests = unpack(KEYS)
local held = redis.call('HMGET', lease, 'fence', 'request', 'event_seq', 'records', 'print', 'claim', 'keep', 'stop')
if held[1] ~= ARGV[1] or held[2] ~= ARGV[2] or (held[3] or '0') ~= ARGV[3] then return {'fenced'} end
if ARGV[18] == '1' and held[8] then return {'stopped'} end
local n = tonumber(ARGV[15])
if n ~= (held[4] or 0) + 1 then return {'gap', held[4] or '0'} end

local last = keep_records(events, history, requests, ARGV[16], n, ARGV[14])
redis.call('SET', state, ARGV[9])

local now = now_ms(ARGV[5])
local final = ARGV[7] == 'final'
redis.call('HSET', lease, 'event_seq', ARGV[4], 'records', last, 'claim', ARGV[10], 'due', ARGV[11], 'touched', ARGV[12],
    'until', final and 0 or string.format('%.0f', now + ARGV[6]), 'keep', ARGV[13], 'head', ARGV[17])
if final then
    redis.call('HSET', turns, ARGV[2], ARGV[8] .. ' ' .. held[5])
    redis.call('HDEL', lease, 'request', 'print', 'body', 'stage', 'attempts', 'owner', 'stop')
else
    redis.call('HSET', lease, 'stage', ARGV[7])
end

if ARGV[13] ~= '0' or (held[7] or '0') ~= '0' then expire(KEYS, ARGV[13]) end
return {'done', held[6] or ''}
