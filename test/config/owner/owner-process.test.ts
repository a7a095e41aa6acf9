import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import t from 'tap'
import { OwnerClient } from '../../../config/owner/owner-client.ts'
import { OwnerProcess } from '../../../config/owner/owner-process.ts'
import { systemClock } from '../../../core/foundation/clock.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'

t.test('the process counts, is replaced when it is killed, and leaves nothing behind', async t => {
  const logs: string[] = []
  const log = createLogger('info', new Masks(), line => void logs.push(line))
  const owner = await OwnerProcess.start(log)
  t.teardown(() => owner.stop())
  t.equal(statSync(dirname(owner.path)).mode & 0o777, 0o700, 'only this user can connect')
  const client = new OwnerClient(owner.path, systemClock, log)
  t.teardown(() => client.close())
  await client.open(5_000)
  const { generation, processes } = await client.call('beat', {})
  t.equal(processes, 1)

  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.kill(owner.pid!, signal)
  t.equal((await client.call('beat', {})).generation, generation, 'it counts until its parent ends')

  process.kill(owner.pid!, 'SIGKILL')
  const killedAt = performance.now()
  let next: string | undefined
  while (next === undefined || next === generation) {
    next = (await client.call('beat', {}).catch(() => undefined))?.generation
    await new Promise(resolve => setTimeout(resolve, 5))
  }
  t.comment(`replaced within ${Math.round(performance.now() - killedAt)} ms`)
  t.match(logs, [/the owner process ended/, /a new owner process counts/])

  await owner.stop()
  t.notOk(existsSync(dirname(owner.path)))
  await t.rejects(client.call('beat', {}), /the owner process/)
})
