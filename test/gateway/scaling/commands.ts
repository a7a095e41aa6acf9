import type { Test } from 'tap'
import { claimScript } from '../../../plugins/stores/valkey/scripts/claim.ts'
import { vendorKey, type Cluster } from './cluster.ts'
import type { RedisServer } from './redis-server.ts'

const requests = 20

/** A request waits for one answer of Redis at most, and for none if its key has neither short windows nor a limit of requests at once. */
export async function checkCommands(t: Test, cluster: Cluster, redis: RedisServer): Promise<void> {
  const org = await cluster.org('commands')
  const windows = ['requests', 'tokens'].map(unit => ({ [unit]: 1_000_000, window_s: 60 }))
  const limited = await cluster.caller('limited', { org, limits: windows, max_concurrency: 100 })
  const free = await cluster.caller('free', { org })
  await cluster.together()
  for (const [caller, most] of [
    [limited, 1],
    [free, 0],
  ] as const) {
    const end = await redis.monitor()
    t.same((await caller.all(cluster.replicas, requests)).statuses, { 200: requests })
    const text = await end()
    const claims = text.split('\n').filter(line => line.includes(claimScript.sha1) && !line.includes('lua]')).length
    t.equal(claims, requests * most, `${most} answers that a request with the key "${caller.label}" waits for`)
  }
}

/** Neither content nor a secret gets to Redis. `text`: all that it got. */
export function checkCanary(t: Test, { callers }: Cluster, text: string): void {
  t.match(text, /evalsha/i, 'it got something')
  const secrets = [vendorKey, 'why?', 'Because', ...callers.map(({ key }) => key)]
  t.same(
    secrets.filter(secret => text.includes(secret)),
    [],
  )
}
