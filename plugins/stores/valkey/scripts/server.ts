import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: the generation, when a process last gave a sign of life. ARGV: a name for a new generation, the last sign of life that this process
 * knows of (0: none), how much may be missing after a failover, 1 to note this sign of life even if the last one is long ago.
 *
 * If the last sign of life is older than one that this process saw, the data is a copy from before, and counts are lost.
 * Returns the generation, the last sign of life that is noted, the time, the version of the server.
 */
export const generationScript = script(`${now}
local last = tonumber(redis.call('GET', KEYS[2]) or '0')
local isOld = tonumber(ARGV[2]) - last > tonumber(ARGV[3])
if isOld then redis.call('SET', KEYS[1], ARGV[1]) else redis.call('SET', KEYS[1], ARGV[1], 'NX') end
if isOld or ARGV[4] == '1' or now - last <= tonumber(ARGV[3]) then
  last = math.max(now, last)
  redis.call('SET', KEYS[2], string.format('%.0f', last))
end
return {redis.call('GET', KEYS[1]), last, now, redis.REDIS_VERSION or ''}
`)

/** Returns the eviction policy; '' if the user may not ask for it. */
export const policyScript = script(`
local info = redis.pcall('INFO', 'memory')
return type(info) == 'string' and string.match(info, 'maxmemory_policy:(%S+)') or ''
`)
