import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: the number of the last batch, the last position, sums by the position of their last change, sums by their end, then the sums that
 * are added to. ARGV: the number of this batch, how long the number is kept, the position to read from ('': from the start; 'none': nothing
 * is read), the most sums to return, what the keys of sums begin with; of each delta its name, how long the sum is kept, how many fields
 * there are, and each with its count.
 *
 * Returns the position that was reached, 1 if there are more, and each sum: its name, its fields with their counts.
 */
export const exchangeScript = script(`${now}
if tonumber(redis.call('GET', KEYS[1]) or '0') < tonumber(ARGV[1]) then
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
  if #KEYS > 4 then
    local position = math.max(tonumber(redis.call('GET', KEYS[2]) or '0') + 1, now)
    redis.call('SET', KEYS[2], string.format('%.0f', position))
    local at = 6
    for i = 5, #KEYS do
      local name, lasts, fields = ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2])
      for field = 1, fields do redis.call('HINCRBY', KEYS[i], ARGV[at + 1 + 2 * field], ARGV[at + 2 + 2 * field]) end
      redis.call('PEXPIRE', KEYS[i], lasts)
      redis.call('ZADD', KEYS[3], position, name)
      redis.call('ZADD', KEYS[4], now + lasts, name)
      at = at + 3 + 2 * fields
    end
  end
end
if ARGV[3] == 'none' then return {ARGV[3], 0} end
local over = redis.call('ZRANGEBYSCORE', KEYS[4], '-inf', now, 'LIMIT', 0, 100)
if #over > 0 then
  redis.call('ZREM', KEYS[3], unpack(over))
  redis.call('ZREM', KEYS[4], unpack(over))
end
local since = ARGV[3] == '' and '-inf' or '(' .. ARGV[3]
local limit = tonumber(ARGV[4])
local changed = redis.call('ZRANGEBYSCORE', KEYS[3], since, '+inf', 'WITHSCORES', 'LIMIT', 0, limit)
local reached = ARGV[3] == '' and '0' or ARGV[3]
local reply = {reached, 0}
local count = #changed / 2
if count == limit then
  -- All of one position belong together: those of the last one come with the next page, unless it fills a page by itself.
  local last = changed[#changed]
  if changed[2] == last then
    changed = redis.call('ZRANGEBYSCORE', KEYS[3], last, last, 'WITHSCORES')
    count = #changed / 2
  else
    while changed[2 * count] == last do count = count - 1 end
  end
  reply[2] = 1
end
for i = 1, count do
  reply[1] = changed[2 * i]
  local sum = redis.call('HGETALL', ARGV[5] .. changed[2 * i - 1])
  if #sum > 0 then
    reply[#reply + 1] = changed[2 * i - 1]
    reply[#reply + 1] = sum
  end
end
return reply
`)
