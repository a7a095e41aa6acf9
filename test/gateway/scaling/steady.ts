import type { Test } from 'tap'
import { Gate } from '../../../core/testing/index.ts'
import { isLong } from '../../kit/long.ts'
import { Replies } from './caller.ts'
import { connectionLimit, narrowLimit, type Cluster } from './cluster.ts'
import { until } from './until.ts'
import { upgrade } from './upgrade.ts'

/** Limits of keys and providers, while all is well: replicas count as one. */
export async function checkSteady(t: Test, cluster: Cluster): Promise<void> {
  const { replicas, vendor } = cluster
  const org = await cluster.org('steady')

  await t.test('10 requests in ten minutes', async t => {
    const caller = await cluster.caller('ten', { org, limits: [{ requests: 10, window_s: 600, exact: true }] })
    const replies = await caller.firm(cluster, 24)
    t.same([replies.statuses, vendor.count('ten').total], [{ 200: 10, 429: 14 }, 10])
  })

  const [limit, requests] = isLong ? [100, 300] : [20, 60]
  await t.test(`a burst of ${requests} requests against a limit of ${limit}`, async t => {
    const caller = await cluster.caller('burst', { org, limits: [{ requests: limit, window_s: 600, exact: true }] })
    const replies = await caller.firm(cluster, requests)
    t.same([replies.statuses, vendor.count('burst').total], [{ 200: limit, 429: requests - limit }, limit])
    const left = replies.all.filter(({ status }) => status === 200).map(reply => reply.left!)
    t.ok(left.every(number => number >= 0 && number < limit))
    // A claim that is answered late gets a 503, and its place is given back.
    const late = new Replies(caller.replies).of(503)
    const twice = limit - new Set(left).size
    t.ok(twice <= late, `${twice} heard a number of what is left that another had heard, with ${late} late claims: ${left.join()}`)
  })

  await t.test('tokens in a window', async t => {
    const caller = await cluster.caller('tokens', { org, limits: [{ tokens: 1200, window_s: 600, exact: true }] })
    const seen = vendor.count('tokens')
    const gate = (seen.gate = new Gate())
    const replies = caller.firm(cluster, 30)
    await until('30 requests to be let through or refused', () => seen.total + caller.replies.length >= 30)
    gate.open()
    await replies
    // Each holds at least 100 of output and one of input.
    t.ok(seen.peak > 0 && seen.peak <= 11, `${seen.peak} requests held tokens at once`)
  })

  await undisturbed(t, cluster, '5 requests at once', async (t, round) => {
    const label = `places ${round}`
    const caller = await cluster.caller(label, { org, max_concurrency: 5 })
    const seen = vendor.count(label)
    const gate = (seen.gate = new Gate())
    const replies = caller.all(replicas, 30)
    await until('30 requests to be let through or refused', () => seen.inProgress + caller.replies.length === 30)
    gate.open()
    t.equal((await replies).of(200), seen.total)
    return { counted: seen.peak, limit: 5 }
  })

  await undisturbed(t, cluster, `${narrowLimit} requests at a provider at once`, async (t, round) => {
    const label = `narrow ${round}`
    const caller = await cluster.caller(label, { org })
    const seen = vendor.count(label)
    const gate = (seen.gate = new Gate())
    const replies = caller.all(replicas, 30, { model: 'narrow/acme-large' })
    await until(`${narrowLimit} requests at the vendor`, () => seen.inProgress >= narrowLimit)
    gate.open()
    t.equal((await replies).of(200), 30)
    return { counted: seen.peak, limit: narrowLimit }
  })

  const connectionsOrg = await cluster.org('connections')
  await undisturbed(t, cluster, `${connectionLimit} connections of a key`, async () => {
    const key = await cluster.admin.key({ org: connectionsOrg })
    const sockets = await Promise.all(Array.from({ length: 15 }, (_, index) => upgrade(replicas[index % replicas.length]!, key)))
    const open = sockets.filter(socket => typeof socket !== 'number')
    for (const socket of open) socket.destroy()
    await until('a free place', async () => {
      const socket = await upgrade(replicas[0]!, key)
      if (typeof socket === 'number') return false
      socket.destroy()
      return true
    })
    return { counted: open.length, limit: connectionLimit }
  })
}

const tries = 5

/**
 * Counts while all replicas count together. If they could not, as on a busy machine, it counts again; at last the bound for replicas that count
 * for themselves has to do.
 */
async function undisturbed(
  t: Test,
  cluster: Cluster,
  name: string,
  count: (t: Test, round: number) => Promise<{ readonly counted: number; readonly limit: number }>,
): Promise<void> {
  await t.test(name, async t => {
    for (let round = 1; round <= tries; round++) {
      await cluster.together()
      const before = cluster.partings
      const { counted, limit } = await count(t, round)
      if (cluster.partings === before) {
        t.equal(counted, limit)
        return
      }
      const most = limit + cluster.replicas.length - 1
      t.ok(counted <= most, `${counted} of at most ${most}, while replicas counted for themselves`)
    }
  })
}

/** Chains, conversations and background runs, through whichever replica. */
export async function checkAnyReplica(t: Test, cluster: Cluster): Promise<void> {
  const { replicas, vendor } = cluster
  const org = await cluster.org('anywhere')
  const of = (index: number): (typeof replicas)[number] => replicas[index % replicas.length]!
  const callerOf = async (label: string): ReturnType<Cluster['caller']> =>
    await cluster.caller(label, { org, policy: { logging: { value: true } } })

  await t.test('a chain', async t => {
    const caller = await callerOf('chain')
    let previous: string | undefined
    for (let turn = 0; turn < 2 * replicas.length; turn++) {
      const reply = await caller.ask(of(turn), { previous_response_id: previous })
      t.equal(reply.status, 200, reply.status === 200 ? `turn ${turn}` : reply.text)
      previous = reply.id
      const read = await get(of(turn + 1), caller.key, `/v1/responses/${previous}`)
      t.equal(read.status, 'completed')
    }
  })

  await t.test('a background run is cancelled elsewhere', async t => {
    const caller = await callerOf('cancelled')
    const seen = vendor.count('cancelled')
    const gate = (seen.gate = new Gate())
    const { id, status, text } = await caller.ask(of(0), { background: true })
    t.equal(status, 200, status === 200 ? 'it began' : text)
    await until('the vendor to be asked', () => seen.total === 1)
    const cancelled = await get(of(1), caller.key, `/v1/responses/${id}/cancel`, 'POST')
    t.equal(cancelled.status, 'cancelled')
    await until('the vendor to be left', () => seen.early === 1)
    gate.open()
  })

  await t.test('a background run is followed elsewhere', async t => {
    const caller = await callerOf('followed')
    const seen = vendor.count('followed')
    const gate = (seen.gate = new Gate())
    const { id } = await caller.ask(of(0), { background: true })
    const streams = [1, 2].map(async index => {
      const reply = await fetch(`${of(index).url}/v1/responses/${id}?stream=true`, { headers: { authorization: `Bearer ${caller.key}` } })
      return await reply.text()
    })
    await until('the vendor to be asked', () => seen.total === 1)
    gate.open()
    for (const text of await Promise.all(streams)) t.match(text, /event: response.created[^]*Because\.[^]*event: response.completed/)
  })
}

async function get(replica: { readonly url: string }, key: string, path: string, method = 'GET'): Promise<any> {
  const reply = await fetch(`${replica.url}${path}`, { method, headers: { authorization: `Bearer ${key}` } })
  return await reply.json()
}
