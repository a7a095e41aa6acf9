import type { Test } from 'tap'
import { Gate } from '../../../core/testing/index.ts'
import { connectionLimit, narrowLimit, type Cluster } from './cluster.ts'
import { until } from './until.ts'
import { upgrade } from './upgrade.ts'

/** Limits of keys and providers, while all is well: replicas count as one. */
export async function checkSteady(t: Test, cluster: Cluster): Promise<void> {
  const { replicas, vendor } = cluster
  const org = await cluster.org('steady')

  await t.test('10 requests in ten minutes', async t => {
    const caller = await cluster.caller('ten', { org, limits: [{ requests: 10, window_s: 600 }] })
    const replies = await caller.all(replicas, 24)
    t.same([replies.statuses, vendor.count('ten').total], [{ 200: 10, 429: 14 }, 10])
  })

  await t.test('a burst of 300 requests against a limit of 100', async t => {
    const caller = await cluster.caller('burst', { org, limits: [{ requests: 100, window_s: 600 }] })
    const replies = await caller.all(replicas, 300)
    t.same([replies.statuses, vendor.count('burst').total], [{ 200: 100, 429: 200 }, 100])
    const left = replies.all.filter(({ status }) => status === 200).map(reply => reply.left!)
    const each = Array.from({ length: 100 }, (_, index) => 99 - index)
    t.equal(left.toSorted((a, b) => b - a).join(), each.join(), 'each heard another number of what is left')
  })

  await t.test('tokens in a window', async t => {
    const caller = await cluster.caller('tokens', { org, limits: [{ tokens: 1200, window_s: 600 }] })
    const seen = vendor.count('tokens')
    const gate = (seen.gate = new Gate())
    const replies = caller.all(replicas, 30)
    await until('30 requests to be let through or refused', () => seen.total + caller.replies.length >= 30)
    gate.open()
    // Each holds at least 100 of output and one of input.
    t.ok(seen.total > 0 && seen.total <= 11, `${seen.total} requests held tokens at once`)
    t.same((await replies).statuses, { 200: seen.total, 429: 30 - seen.total })
  })

  await t.test('5 requests at once', async t => {
    const caller = await cluster.caller('places', { org, max_concurrency: 5 })
    const seen = vendor.count('places')
    seen.gate = new Gate()
    const replies = caller.all(replicas, 30)
    await until('25 refused requests', () => caller.replies.length === 25)
    t.equal(seen.inProgress, 5)
    seen.gate.open()
    t.equal((await replies).of(200), 5)
    await checkPlacesAreFree(t, cluster, caller.label, 5)
  })

  await t.test(`${narrowLimit} requests at a provider at once`, async t => {
    const caller = await cluster.caller('narrow', { org })
    const seen = vendor.count('narrow')
    const gate = (seen.gate = new Gate())
    const replies = caller.all(replicas, 30, { model: 'narrow/acme-large' })
    await until(`${narrowLimit} requests at the vendor`, () => seen.inProgress >= narrowLimit)
    gate.open()
    t.equal((await replies).of(200), 30)
    t.equal(seen.peak, narrowLimit)
  })

  await t.test(`${connectionLimit} connections of a key`, async t => {
    const key = await cluster.admin.key({ org: await cluster.org('connections') })
    const sockets = await Promise.all(Array.from({ length: 15 }, (_, index) => upgrade(replicas[index % replicas.length]!, key)))
    t.equal(sockets.filter(socket => socket === 429).length, 15 - connectionLimit)
    for (const socket of sockets) if (typeof socket !== 'number') socket.destroy()
    await until('a free place', async () => {
      const socket = await upgrade(replicas[0]!, key)
      if (typeof socket === 'number') return false
      socket.destroy()
      return true
    })
  })
}

/** Places are given back a moment after an answer. */
export async function checkPlacesAreFree(t: Test, { replicas, vendor, callers }: Cluster, label: string, places: number): Promise<void> {
  const caller = callers.find(each => each.label === label)!
  const seen = vendor.count(label)
  const gate = (seen.gate = new Gate())
  const replies: Promise<unknown>[] = []
  await until(`${places} free places`, () => {
    replies.push(caller.ask(replicas[replies.length % replicas.length]!))
    return seen.inProgress >= places
  })
  gate.open()
  await Promise.all(replies)
  t.equal(seen.peak, places)
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
