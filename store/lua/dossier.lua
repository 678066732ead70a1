-- All of a session, of one moment.
-- KEYS  1 state  2 lease  3 events  4 history  5 turns
-- Returns {state, {open request, until, due}, answered requests with their values, events, history}
local state, lease, events, history, turns = unpack(KEYS)
return {redis.call('GET', state), redis.call('HMGET', lease, 'request', 'until', 'due'), redis.call('HGETALL', turns),
    redis.call('XRANGE', events, '-', '+'), redis.call('XRANGE', history, '-', '+')}
