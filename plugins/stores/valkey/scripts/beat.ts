import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: the processes by the end of their lease, their gauges. ARGV: the process, how long it counts as alive, its gauges ('': it stops).
 * Returns how many processes are alive.
 */
export const beatScript = script(`${now}
local gone = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, 100)
if ARGV[3] == '' then gone[#gone + 1] = ARGV[1] end
if #gone > 0 then
  redis.call('ZREM', KEYS[1], unpack(gone))
  redis.call('HDEL', KEYS[2], unpack(gone))
end
if ARGV[3] ~= '' then
  redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
  redis.call('HSET', KEYS[2], ARGV[1], ARGV[3])
end
return redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf')
`)

/** KEYS: as above. Returns the gauges of all processes that are alive. */
export const gaugesScript = script(`${now}
local alive = redis.call('ZRANGEBYSCORE', KEYS[1], '(' .. now, '+inf')
local reply = {}
for i = 1, #alive do reply[i] = redis.call('HGET', KEYS[2], alive[i]) or '{}' end
return reply
`)
