import { script } from '../script.ts'
import { now } from './now.ts'

/** KEYS: windows. Returns of each what is used, how long until it ends (-1: not begun), and its end. */
export const statesScript = script(`${now}
local reply = {}
for i = 1, #KEYS do
  local used = redis.call('GET', KEYS[i])
  local ends = used and redis.call('PEXPIRETIME', KEYS[i])
  reply[3 * i - 2] = used and tonumber(used) or 0
  reply[3 * i - 1] = used and math.max(ends - now, 1) or -1
  reply[3 * i] = used and string.format('%.0f', ends) or ''
end
return reply
`)
