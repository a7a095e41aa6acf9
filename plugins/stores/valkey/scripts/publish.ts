import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: the entries, the entries by their end, the last number. ARGV: the channel, the process, how long it is remembered that an entry is
 * gone, the most entries; of each change the entry, how long it is valid (0: it is gone), and its value as JSON.
 *
 * An entry is kept as its number, its end, the process, and its value. The message has the process, then the same changes with their numbers.
 */
export const publishScript = script(`${now}
local number = tonumber(redis.call('GET', KEYS[3]) or '0')
local message = {ARGV[2]}
for at = 5, #ARGV, 3 do
  local entry, lasts, value = ARGV[at], tonumber(ARGV[at + 1]), ARGV[at + 2]
  number = math.max(number + 1, now)
  local ends = string.format('%.0f', now + (lasts > 0 and lasts or tonumber(ARGV[3])))
  redis.call('HSET', KEYS[1], entry, string.format('%.0f', number) .. ' ' .. ends .. ' ' .. ARGV[2] .. ' ' .. value)
  redis.call('ZADD', KEYS[2], ends, entry)
  message[#message + 1] = string.format('%.0f', number)
  message[#message + 1] = entry
  message[#message + 1] = ARGV[at + 1]
  message[#message + 1] = value
end
redis.call('SET', KEYS[3], string.format('%.0f', number))
local excess = math.max(redis.call('ZCARD', KEYS[2]) - tonumber(ARGV[4]), 0)
local over = redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', now, 'LIMIT', 0, 200)
if #over < excess then over = redis.call('ZRANGE', KEYS[2], 0, math.min(excess, 200) - 1) end
if #over > 0 then
  redis.call('ZREM', KEYS[2], unpack(over))
  redis.call('HDEL', KEYS[1], unpack(over))
end
redis.call('PUBLISH', ARGV[1], cjson.encode(message))
return now
`)
