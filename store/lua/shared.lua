-- Stands in front of every script: what several of them do.

-- `given`: ms since the epoch; '' asks the server's clock.
local function now_ms(given)
    if given ~= '' then return tonumber(given) end
    local time = redis.call('TIME')
    return time[1] * 1000 + math.floor(time[2] / 1000)
end

-- Number of the record with which the turn begins that is the nth from the end; nil if there are not so many.
local function start_of(starts, nth)
    return tonumber(starts[#starts - nth + 1])
end

-- What was done from record `first` up to where the last `nth` turns begin: newest first, one JSON a line (a record holds no line
-- break), a line '-' where a turn begins. Of an event no more than `bytes`.
local function actions_before(events, starts, nth, first, bytes)
    local before, lines, turn = start_of(starts, nth), {}, #starts - nth
    if not before or before <= first then return '' end
    local function turns_after(n)
        while turn > 0 and tonumber(starts[turn]) >= n do
            lines[#lines + 1] = '-'
            turn = turn - 1
        end
    end
    for _, entry in ipairs(redis.call('XREVRANGE', events, before - 1, first)) do
        turns_after(tonumber(string.match(entry[1], '^%d+')))
        if entry[2][1] == 'state_event' then lines[#lines + 1] = string.sub(entry[2][2], 1, bytes) end
    end
    turns_after(first)
    return table.concat(lines, '\n')
end

-- Appends records to the log from number `n` on. `lines`: one a line, "kind prev body"; the first record of all has no hash before it.
-- `remember`: of so many turns it is known where they begin. Returns the number of the last record.
local function keep_records(events, history, requests, lines, n, remember)
    for kind, prev, body in string.gmatch(lines, '(%S+) (%S*) ([^\n]+)') do
        local said = kind == 'user_request' or kind == 'agent_response'
        redis.call('XADD', said and history or events, n .. '-0', kind, body, 'prev', prev)
        if kind == 'user_request' then
            redis.call('RPUSH', requests, n)
            redis.call('LTRIM', requests, -remember, -1)
        end
        n = n + 1
    end
    return n - 1
end

-- A session that has ended goes `ms` later; 0 keeps it.
local function expire(keys, ms)
    for _, key in ipairs(keys) do
        if ms ~= '0' then redis.call('PEXPIRE', key, ms) else redis.call('PERSIST', key) end
    end
end
