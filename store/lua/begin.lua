-- BEGIN: is the request known, is the lease free, and if so what does the worker need for the turn. Changes nothing but the lease.
-- KEYS  1 state  2 lease  3 events  4 history  5 turns  6 requests
-- ARGV  1 request  2 its fingerprint  3 body  4 owner  5 now in ms, or '' for the server's clock  6 lease in ms
--       7 actions are known to the worker up to this record  8 fence that is void since its owner is dead, or ''
--       9 turns with their texts  10 last turns without their actions  11 bytes of an event
--       12 head of the log that the worker knows, or '': then it knows snapshot and texts, too
-- Returns {'replay', record} | {'conflict'} | {'busy', ms left, owner, fence}
--       | {'begun', fence, request, body, attempts, stage, state, texts, actions, before, 1 if these are all actions, else 0,
--          1 if state and texts are left out, being known, else 0}
local state, lease, events, history, turns, requests = unpack(KEYS)
local request, print = ARGV[1], ARGV[2]

local done = redis.call('HGET', turns, request)
local held = redis.call('HMGET', lease, 'fence', 'until', 'owner', 'request', 'print')
local record, taken
if done then
    record, taken = string.match(done, '^(%d+) (.*)$')
elseif held[4] == request then
    taken = held[5]
end
if taken and taken ~= print then return {'conflict'} end
if done then
    local found = redis.call('XRANGE', history, record, record)[1]
    return {'replay', found and found[2][2] or ''}
end

local now = now_ms(ARGV[5])
local left = tonumber(held[2] or 0) - now
if left > 0 and held[1] ~= ARGV[8] then return {'busy', left, held[3], held[1]} end

-- A new session's first fence is beyond any of one of its name that was removed or has expired: its workers may still sleep.
local fence = held[1] and held[1] + 1 or now
redis.call('HSET', lease, 'fence', string.format('%.0f', fence), 'until', string.format('%.0f', now + ARGV[6]), 'owner', ARGV[4])
if not held[4] then redis.call('HSET', lease, 'request', request, 'print', print, 'body', ARGV[3], 'stage', 0) end
local attempts = redis.call('HINCRBY', lease, 'attempts', 1)
local open = redis.call('HMGET', lease, 'request', 'body', 'stage')

local starts = redis.call('LRANGE', requests, 0, -1)
local known = ARGV[12] ~= '' and redis.call('HGET', lease, 'head') == ARGV[12]
local snapshot, texts = '', {}
if not known then
    snapshot = redis.call('GET', state) or ''
    -- What was said in the last turns, newest first, one JSON a line.
    local oldest = start_of(starts, tonumber(ARGV[9])) or '-'
    for i, entry in ipairs(redis.call('XREVRANGE', history, '+', oldest)) do texts[i] = entry[2][2] end
end
-- What was done in the turns before, as far as the worker does not know it.
local oldest, nth = tonumber(starts[1] or 0), tonumber(ARGV[10])
local first = math.max(tonumber(ARGV[7]), oldest)
local actions = actions_before(events, starts, nth, first, tonumber(ARGV[11]))

return {'begun', fence, open[1], open[2], attempts, tonumber(open[3]), snapshot, table.concat(texts, '\n'), actions,
    start_of(starts, nth) or 0, first == oldest and 1 or 0, known and 1 or 0}
