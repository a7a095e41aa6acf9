import type { Test } from 'tap'
import type { Caller } from './caller.ts'
import type { Cluster } from './cluster.ts'
import type { Replica } from './replica.ts'
import { until } from './until.ts'

/** One way in which replicas lose Redis. */
export interface Fault {
  readonly name: string
  /** The replicas that count for themselves meanwhile. */
  readonly alone: (replicas: readonly Replica[]) => readonly Replica[]
  begin(): Promise<void> | void
  end(): Promise<void> | void
}

const limit = 100

/**
 * Limits before, during and after a fault. While all replicas are alone, each has a share of a limit, rounded up; while some are, the others
 * still count together. All windows outlive the test.
 */
export async function checkFault(t: Test, cluster: Cluster, { name, alone: aloneOf, begin, end }: Fault): Promise<void> {
  const { replicas } = cluster
  const alone = aloneOf(replicas)
  const share = Math.ceil(limit / replicas.length)
  const most = alone.length === replicas.length ? limit + replicas.length - 1 : limit + alone.length * share
  const org = await cluster.org(name)
  const callerOf = async (label: string, more: object = {}): Promise<Caller> =>
    await cluster.caller(`${name} ${label}`, { org, limits: [{ requests: limit, window_s: 1200, ...more }] })
  const begun = await callerOf('begun')
  const fresh = await callerOf('fresh')
  const half = await callerOf('half')
  const exact = await callerOf('exact', { exact: true })
  const probe = await cluster.caller(`${name} probe`, { org, limits: [{ requests: 1_000_000, window_s: 1200, exact: true }] })
  const free = await cluster.caller(`${name} free`, { org })

  t.same((await begun.all(replicas, 30)).statuses, { 200: 30 })
  t.same((await exact.all(replicas, 10)).statuses, { 200: 10 })

  await begin()
  await untilEach(probe, alone, 503)
  t.same((await exact.all(alone, 30)).statuses, { 503: 30 }, 'exact limits are refused')
  t.same((await free.all(replicas, 30)).statuses, { 200: 30 }, 'keys without limits notice nothing')
  const during = await fresh.all(replicas, 3 * limit)
  t.same(during.statuses, { 200: most, 429: 3 * limit - most }, 'a window that begins now')
  await begun.all(replicas, 3 * limit)
  t.ok(begun.served >= limit && begun.served <= 2 * limit, `${begun.served} in the window of the change, of a limit of ${limit}`)
  const half1 = await half.all(replicas, limit / 2)
  t.same(half1.statuses, { 200: limit / 2 })

  await end()
  await untilEach(probe, replicas, 200)
  await until('the counts to be together again', async () => (await standing(replicas, half)).every(left => left === limit / 2))
  await half.all(replicas, 3 * limit)
  t.equal(half.served, limit, 'what was counted meanwhile counts once')
  t.same((await fresh.all(replicas, limit)).statuses, { 429: limit })
  await exact.all(replicas, 3 * limit)
  t.equal(exact.served, limit, 'exact limits were never exceeded')
}

/** Asks each of these replicas until it answers so. */
async function untilEach(caller: Caller, replicas: readonly Replica[], status: number): Promise<void> {
  await until(`every replica to answer ${status}`, async () => (await caller.all(replicas, replicas.length)).of(status) === replicas.length)
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
