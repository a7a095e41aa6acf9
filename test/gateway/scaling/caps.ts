import type { Test } from 'tap'
import { held } from './audit.ts'
import type { Caller } from './caller.ts'
import type { Cluster } from './cluster.ts'
import { until } from './until.ts'
import { answerNano } from './vendor.ts'

/** Pays for 300 answers; 1,500 are wanted. At once it pays for about 30, since more is held than is used. */
const capUsd = (300 * answerNano) / 1e9

/** A key in an organization of the same name, which has this cap. */
export async function capped(cluster: Cluster, label: string, settings: object = {}): Promise<Caller> {
  await cluster.org(label, { spend_cap_usd: capUsd })
  return await cluster.caller(label, { ...settings, org: label })
}

/** Spends what is left of the cap, and counts. `isQuiet`: nobody else asks meanwhile. */
export async function checkCap(t: Test, cluster: Cluster, caller: Caller, { isQuiet = true } = {}): Promise<void> {
  await usedUp(cluster, caller, isQuiet)
  const { org, served, replies } = caller
  const spent = Math.round((await cluster.admin.ask('GET', `/orgs/${org}`)).spent_usd * 1e9)
  const most = Math.round(capUsd * 1e9)
  t.ok(spent <= most, `${spent} of ${most} nano-dollars are spent`)
  t.ok(served * answerNano <= spent, `${served} answers were heard of ${replies.length}`)
  t.ok(spent > most * 0.9, 'and not much less')
}

/** Asks until all are refused. Holds of a killed replica come back meanwhile. */
async function usedUp(cluster: Cluster, caller: Caller, isQuiet: boolean): Promise<void> {
  await until(
    'the cap to be used up',
    async () => (await caller.all(cluster.replicas, 30)).of(402) === 30 && (!isQuiet || (await held(cluster)) === 0),
    500,
  )
}
