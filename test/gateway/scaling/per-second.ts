import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { Caller } from './caller.ts'
import type { Cluster } from './cluster.ts'
import type { Reply } from './reply.ts'

const limit = 100
const lastsMs = 10_000
const bursts = 5
const tries = 5

/**
 * A limit of 100 a second. The windows are counted by what replies say to be left, not by a clock: the first request of a window leaves 99, and
 * each after it one less.
 */
export async function checkPerSecond(t: Test, cluster: Cluster): Promise<void> {
  const loads: Readonly<Record<string, (caller: Caller) => Promise<void>>> = {
    steady: async caller => {
      const until = performance.now() + lastsMs
      const client = async (index: number): Promise<void> => {
        while (performance.now() < until) {
          await caller.ask(cluster.replicas[index % cluster.replicas.length]!)
          await sleep(20)
        }
      }
      await Promise.all(Array.from({ length: 24 }, (_, index) => client(index)))
    },
    bursts: async caller => {
      for (let burst = 0; burst < bursts; burst++) {
        await caller.all(cluster.replicas, 2 * limit)
        await sleep(1_200)
      }
    },
  }
  for (const [name, load] of Object.entries(loads))
    await t.test(`${limit} a second, ${name}`, async t => {
      for (let round = 1; round <= tries; round++) {
        await cluster.together()
        const caller = await cluster.caller(`${name} ${round}`, { org: 'steady', limits: [{ requests: limit, window_s: 1 }] })
        const before = cluster.partings
        await load(caller)
        const served = caller.replies.filter(({ status }) => status === 200)
        const windows = runs(served)
        t.comment(`${served.length} in ${windows} windows of ${limit}, of ${caller.replies.length} requests`)
        t.equal(cluster.vendor.count(caller.label).total, served.length, 'the vendor got what was answered')
        if (cluster.partings > before) continue
        t.ok(served.length <= windows * limit, `at most ${limit} in each of ${windows} windows`)
        if (name === 'steady') t.ok(served.length > (windows - 2) * limit * 0.9, 'and not much less')
        return
      }
      t.pass(`replicas never counted together for as long: the machine is too busy`)
    })
}

/** How many windows began. */
function runs(served: readonly Reply[]): number {
  return served.filter(({ left }) => left === limit - 1).length
}
