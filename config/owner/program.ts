import { rmSync } from 'node:fs'
import { setPriority } from 'node:os'
import { dirname } from 'node:path'
import { systemClock } from '../../core/foundation/clock.ts'
import { Owner } from './owner.ts'

// The owner process. `OwnerProcess` starts it, with the path of its socket, and it ends with the process that did.

const [path = ''] = process.argv.slice(2)
process.title = 'turnpike owner'

// A service manager may signal every process, and this one counts until the last worker has ended.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGUSR2'] as const) process.on(signal, () => {})
// Requests wait for it, and it has little to do. Only privileged users may.
try {
  setPriority(-10)
} catch {}
const end = (): void => {
  // Nobody else removes it if the parent was killed.
  rmSync(dirname(path), { recursive: true, force: true })
  process.exit()
}
process.on('disconnect', end)
if (!process.connected) end()
// The parent asks for signs of life.
process.on('message', message => process.send?.(message))

rmSync(path, { force: true })
await new Owner(systemClock).listen(path)
process.send?.('listening')
