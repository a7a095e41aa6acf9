/** The clock of the server, in whole milliseconds. The first lines of a script. */
export const now = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
`
