import type { Test } from 'tap'
import { claimScript } from '../../../plugins/stores/valkey/scripts/claim.ts'
import { vendorKey, type Cluster } from './cluster.ts'
import type { ValkeyServer } from '../../plugins/stores/valkey-server.ts'
import { until } from './until.ts'

const requests = 20

/** A request waits for one answer of Valkey at most, and for none if its key has neither short windows nor a limit of requests at once. */
export async function checkCommands(t: Test, cluster: Cluster, valkey: ValkeyServer): Promise<void> {
  const org = await cluster.org('commands')
  const windows = ['requests', 'tokens'].map(unit => ({ [unit]: 1_000_000, window_s: 60 }))
  const limited = await cluster.caller('limited', { org, limits: windows, max_concurrency: 100 })
  const free = await cluster.caller('free', { org })
  await cluster.together()
  for (const [caller, most] of [
    [limited, 1],
    [free, 0],
  ] as const) {
    const heard = await listenTo(valkey)
    t.same((await caller.all(cluster.replicas, requests)).statuses, { 200: requests })
    const lines = await heard()
    const claims = lines.filter(line => line.includes(claimScript.sha1) && !line.includes('lua]')).length
    t.equal(claims, requests * most, `${most} answers that a request with the key "${caller.label}" waits for`)
  }
}

/** Neither content nor a secret gets to Valkey. `lines`: all that it got. */
export function checkCanary(t: Test, { callers }: Cluster, lines: readonly string[]): void {
  const text = lines.join('\n')
  t.match(text, /evalsha/i, 'it got something')
  const secrets = [vendorKey, 'why?', 'Because', ...callers.map(({ key }) => key)]
  t.same(
    secrets.filter(secret => text.includes(secret)),
    [],
  )
}

/** All commands that a server gets, until the returned function is called. */
export async function listenTo(valkey: ValkeyServer): Promise<() => Promise<readonly string[]>> {
  const lines: string[] = []
  await valkey.monitor(line => void lines.push(line))
  return async () => {
    const mark = `end-${performance.now()}`
    await valkey.ask('ECHO', mark)
    await until('all commands to be heard', () => lines.some(line => line.includes(mark)))
    return [...lines]
  }
}
