import t from 'tap'
import { recordingsAbsent } from '../../kit/recordings.ts'
import type { UsageReading } from '../../plugins/providers/oracle/reading.ts'
import { lost } from './lost.ts'
import { Replay } from './replayed.ts'
import { surfaces } from './surfaces.ts'
import { wireIn } from './vendors.ts'

// A caller and a vendor of the same wire: what the vendor's own SDK makes of the recorded bytes, it makes of the gateway's.

t.setTimeout(300_000)

t.test('recorded answers pass without a loss', { skip: recordingsAbsent }, async t => {
  const wires = new Set(Object.values(surfaces).map(({ wire }) => wire))
  const replay = await Replay.start(recording => wires.has(wireIn(recording)!))
  t.teardown(() => replay.stop())
  for (const [name, surface] of Object.entries(surfaces))
    await t.test(name, async t => {
      let run = 0
      let unreadable = 0
      for await (const each of replay.through(surface, recording => wireIn(recording) === surface.wire)) {
        const { recording, stream, status, body, actual, expected, recorded, isResumed } = each
        run += 1
        const problems: string[] = status === 200 ? [] : [`${status} ${Buffer.from(body).toString().slice(0, 300)}`]
        const { withoutSdk: _, ...one } = expected
        const { withoutSdk: __, ...other } = actual
        if (status === 200) {
          problems.push(...lost(one, other, surface.read).map(problem => `read: ${problem}`))
          problems.push(...differencesInUsage(one.usage, other.usage))
          // What is wrong in the vendor's own words stays so.
          if (surface.validate(recorded.body, stream).length === 0) problems.push(...surface.validate(body, stream))
        }
        if (status === 200 && !isResumed && recording.api !== 'invoke') {
          const vendors = await surface.accumulate(recorded.body, stream).catch((error: Error) => error)
          if (vendors instanceof Error) unreadable += 1
          else problems.push(...lost(vendors, await surface.accumulate(body, stream), surface.changes))
        }
        t.same(problems, [], recording.path)
      }
      t.comment(`${name}: ${run} recordings run, ${unreadable} of which the SDK alone does not accumulate`)
      t.ok(run > 0)
    })
})

/** What a vendor did not tell counts as none. Some count more cached tokens than input: the gateway may say that all of it was cached. */
function differencesInUsage(vendors: UsageReading | null, served: UsageReading | null): readonly string[] {
  if (!vendors) return []
  return (['input', 'cached', 'cacheWrite', 'output', 'reasoning'] as const).flatMap(member => {
    const [one, other] = [vendors[member] ?? 0, served?.[member] ?? 0]
    const isSame = one === other || (member === 'cached' && other === vendors.input && one > other)
    return isSame ? [] : [`read: usage.${member} was ${one}, and is ${other}`]
  })
}
