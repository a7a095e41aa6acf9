import type { Test } from 'tap'
import { isLong } from '../../kit/long.ts'
import type { Caller } from './caller.ts'
import type { Cluster } from './cluster.ts'
import type { Replica } from './replica.ts'
import { until } from './until.ts'

/** One way in which replicas lose Valkey. */
export interface Fault {
  readonly name: string
  /** The replicas that count for themselves meanwhile. */
  readonly alone: (replicas: readonly Replica[]) => readonly Replica[]
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

const limit = isLong ? 100 : 20

/**
 * Limits before, during and after a fault. While all replicas are alone, each has a share of a limit, rounded up; while some are, the others
 * still count together. All windows outlive the test.
 */
export async function checkFault(t: Test, cluster: Cluster, { name, alone: aloneOf, begin, end }: Fault): Promise<void> {
  const { replicas } = cluster
  const alone = aloneOf(replicas)
  const areAllAlone = alone.length === replicas.length
  const share = Math.ceil(limit / replicas.length)
  const org = await cluster.org(name)
  const callerOf = async (label: string, more: object = {}): Promise<Caller> =>
    await cluster.caller(`${name} ${label}`, { org, limits: [{ requests: limit, window_s: 3_000, ...more }] })
  const [begun, fresh, half, exact] = await Promise.all([
    callerOf('begun'),
    callerOf('fresh'),
    callerOf('half'),
    callerOf('exact', { exact: true }),
  ])
  const free = await cluster.caller(`${name} free`, { org })

  await cluster.together()
  t.same((await begun.all(replicas, 6)).statuses, { 200: 6 })
  t.same((await exact.firm(cluster, 10)).statuses, { 200: 10 })

  await begin()
  await cluster.apart(alone)
  const before = cluster.partings
  t.same((await exact.all(alone, 30)).statuses, { 503: 30 }, 'exact limits are refused')
  t.same((await free.all(replicas, 30)).statuses, { 200: 30 }, 'keys without limits notice nothing')
  await fresh.all(replicas, 3 * limit)
  await begun.all(replicas, 3 * limit)
  await half.all(replicas, limit / 2)
  // A claim that was answered late is given back, but takes room until then.
  const isSteady = areAllAlone || cluster.partings === before
  if (isSteady) {
    const most = areAllAlone ? limit + replicas.length - 1 : limit + alone.length * share
    t.ok(fresh.served >= limit && fresh.served <= most, `${fresh.served} of at most ${most} in a window that begins now`)
  }
  t.ok(
    begun.served >= (isSteady ? limit : 0) && begun.served <= 2 * limit,
    `${begun.served} of at most ${2 * limit} in the window of the change`,
  )
  t.equal(half.served, limit / 2)

  await end()
  await cluster.together()
  const hasParted = cluster.partings
  await until('all counts to be together', async () => (await standing(replicas, half)).every(left => left === limit / 2))
  await half.all(replicas, 3 * limit)
  await fresh.all(replicas, limit)
  if (cluster.partings === hasParted) t.equal(half.served, limit, 'what was counted meanwhile counts once')
  t.ok(fresh.served <= 2 * limit)
  await exact.firm(cluster, 3 * limit)
  t.ok(exact.served <= limit, `${exact.served} of an exact limit`)
}

/** How many requests each replica says to be left. */
async function standing(replicas: readonly Replica[], { key }: Caller): Promise<readonly number[]> {
  return await Promise.all(
    replicas.map(async ({ url }) => {
      const reply = await fetch(`${url}/v1/key`, { headers: { authorization: `Bearer ${key}` } })
      return ((await reply.json()) as { readonly limits: readonly { readonly remaining: number }[] }).limits[0]!.remaining
    }),
  )
}
