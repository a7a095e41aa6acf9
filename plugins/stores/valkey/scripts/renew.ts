import { script } from '../script.ts'
import { now } from './now.ts'

/** KEYS: places. ARGV: how long a place is leased; of each key how many of its places are renewed, and their names. */
export const renewScript = script(`${now}
local lease = ARGV[1]
local at = 2
for i = 1, #KEYS do
  local last = at + ARGV[at]
  local scored = {}
  for place = at + 1, last do
    scored[#scored + 1] = now + lease
    scored[#scored + 1] = ARGV[place]
  end
  redis.pcall('ZADD', KEYS[i], unpack(scored))
  redis.call('PEXPIRE', KEYS[i], lease)
  at = last + 1
end
return now
`)
