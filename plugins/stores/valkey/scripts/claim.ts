import { script } from '../script.ts'
import { now } from './now.ts'

/**
 * KEYS: places, then windows. ARGV: when the claim is too late to be worth anything (0: unknown), how long a place is leased, how many places
 * there are; of each place its limit and its name; of each window its limit, its length, the amount, and how it was saved: used, time left.
 *
 * Returns 1 if all was taken, and 0 if nothing was, or -1 if it came too late; the number of the full place, or 0; of each window 1 if it is
 * full, what is used, how long until it ends (-1: not begun), and its end, which names the run.
 */
export const claimScript = script(`${now}
local deadline, lease, places = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
if deadline > 0 and now > deadline then return {-1} end
local full = 0
for i = 1, places do
  redis.call('ZREMRANGEBYSCORE', KEYS[i], '-inf', now)
  if full == 0 and redis.call('ZCARD', KEYS[i]) >= tonumber(ARGV[2 + 2 * i]) then full = i end
end
local taken = full == 0
local reply = {0, full}
local first = 3 + 2 * places
local windows = #KEYS - places
local used, ends, begun, amounts = {}, {}, {}, {}
for i = 1, windows do
  local key, at = KEYS[places + i], first + 5 * (i - 1)
  local savedLeft = tonumber(ARGV[at + 5])
  amounts[i] = tonumber(ARGV[at + 3])
  used[i] = tonumber(redis.call('GET', key) or '')
  begun[i] = used[i] ~= nil
  if begun[i] then
    ends[i] = redis.call('PEXPIRETIME', key)
  elseif savedLeft > 0 then
    used[i] = tonumber(ARGV[at + 4])
    ends[i] = now + savedLeft
  else
    used[i] = 0
  end
  reply[4 * i - 1] = 0
  if used[i] + amounts[i] > tonumber(ARGV[at + 1]) then
    taken = false
    reply[4 * i - 1] = 1
  end
end
if taken then
  reply[1] = 1
  for i = 1, places do
    redis.call('ZADD', KEYS[i], now + lease, ARGV[3 + 2 * i])
    redis.call('PEXPIRE', KEYS[i], lease)
  end
end
for i = 1, windows do
  if taken then
    local key = KEYS[places + i]
    used[i] = used[i] + amounts[i]
    if begun[i] then
      redis.call('INCRBY', key, string.format('%.0f', amounts[i]))
    else
      ends[i] = ends[i] or now + tonumber(ARGV[first + 5 * (i - 1) + 2])
      redis.call('SET', key, string.format('%.0f', used[i]), 'PXAT', string.format('%.0f', ends[i]))
    end
  end
  reply[4 * i] = used[i]
  reply[4 * i + 1] = ends[i] and math.max(ends[i] - now, 1) or -1
  reply[4 * i + 2] = (taken or begun[i]) and string.format('%.0f', ends[i]) or ''
end
return reply
`)
