-- The whole log, of one moment.
-- KEYS  1 events  2 history
return {redis.call('XRANGE', KEYS[1], '-', '+'), redis.call('XRANGE', KEYS[2], '-', '+')}
