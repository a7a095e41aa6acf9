import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: the number of the last batch, windows, then places. ARGV: the number of this batch, how long the number is kept, how long a place
 * is leased, how many windows there are; of each window its run ('': any), how long one lasts that begins, and the amount; of each place 1 if
 * it is held and 0 if it is given back, and its name.
 *
 * A batch that was applied already changes nothing. Neither does a key of another type: the rest is applied.
 */
export const changeScript = script(`${now}
local number, lease, windows = tonumber(ARGV[1]), ARGV[3], tonumber(ARGV[4])
if tonumber(redis.call('GET', KEYS[1]) or '0') >= number then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
for i = 1, windows do
  local key, at = KEYS[1 + i], 2 + 3 * i
  local run, lasts, amount = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
  local value = redis.pcall('GET', key)
  if value == false then
    if run == '' and amount > 0 then redis.call('SET', key, string.format('%.0f', amount), 'PX', lasts) end
  elseif type(value) == 'string' then
    if run == '' or run == string.format('%.0f', redis.call('PEXPIRETIME', key)) then
      redis.call('SET', key, string.format('%.0f', math.max(0, tonumber(value) + amount)), 'KEEPTTL')
    end
  end
end
for i = 2 + windows, #KEYS do
  local at = 5 + 3 * windows + 2 * (i - 2 - windows)
  if ARGV[at] == '1' then
    redis.pcall('ZADD', KEYS[i], now + lease, ARGV[at + 1])
    redis.call('PEXPIRE', KEYS[i], lease)
  else
    redis.pcall('ZREM', KEYS[i], ARGV[at + 1])
  end
end
return 1
`)
