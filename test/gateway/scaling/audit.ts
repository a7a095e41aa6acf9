import type { Test } from 'tap'
import type { Cluster } from './cluster.ts'
import { until } from './until.ts'
import { answerNano } from './vendor.ts'

export interface AuditOptions {
  /** Organizations of which a replica was killed under load: it took the last records, and answers that were paid but not heard. */
  readonly killedUnder?: readonly string[]
}

/** Counts what is left of all requests of a cluster: records, spending, holds. */
export async function audit(t: Test, cluster: Cluster, { killedUnder = [] }: AuditOptions = {}): Promise<void> {
  for (const org of new Set(cluster.callers.map(caller => caller.org)))
    await t.test(`what is left of the requests of ${org}`, async t => {
      const callers = cluster.callers.filter(caller => caller.org === org)
      const replies = callers.flatMap(caller => caller.replies)
      const heard = new Set(replies.flatMap(({ requestId }) => requestId ?? []))
      const isWhole = !killedUnder.includes(org)
      // Stored answers are read, too.
      const recordsNow = async (): Promise<readonly any[]> =>
        (await cluster.admin.records(org)).filter(({ method, path }) => method === 'POST' && path === '/v1/responses')
      if (isWhole) await until(`${heard.size} records of ${org}`, async () => (await recordsNow()).length >= heard.size)
      const records = await recordsNow()
      const recorded = new Set(records.map(({ id }) => id))
      t.equal(recorded.size, records.length, 'no record comes twice')
      if (isWhole) {
        t.same([...heard].filter(id => !recorded.has(id)), [], 'each request has a record') // prettier-ignore
        t.equal(records.length, heard.size, 'and nothing else has')
      }

      const served = replies.filter(({ status, text }) => status === 200 && !/"status":"(cancelled|queued)"/.test(text)).length
      const asked = callers.reduce((sum, { label }) => sum + cluster.vendor.count(label).total, 0)
      const spent = nano((await cluster.admin.ask('GET', `/orgs/${org}`)).spent_usd)
      const charged = records.reduce((sum, { cost_usd: usd }) => sum + nano(usd ?? 0), 0)
      if (isWhole) t.equal(spent, charged, `what ${org} spent is what its records cost`)
      t.ok(spent >= served * answerNano, `${spent} nano-dollars pay for the ${served} answers that were heard`)
      t.ok(spent <= asked * answerNano, `and for no more than the ${asked} that the vendor gave`)
    })
  await until('nothing to be held', async () => (await held(cluster)) === 0)
}

/** Amounts that are set aside under caps and credit. */
export async function held({ database }: Cluster): Promise<number> {
  const [holds, spends, credits] = await Promise.all([
    database.selectFrom('credit_hold').select('id').where('expired_at', 'is', null).execute(),
    database.selectFrom('spend').select('name').where('reserved', '!=', 0).execute(),
    database.selectFrom('credit').select('org').where('reserved', '!=', 0).execute(),
  ])
  return holds.length + spends.length + credits.length
}

/** Sums of fractions drift. */
function nano(usd: number): number {
  return Math.round(usd * 1e9)
}
