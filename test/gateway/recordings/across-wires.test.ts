import t from 'tap'
import { recordingsAbsent } from '../../kit/recordings.ts'
import type { OracleReading } from '../../plugins/providers/oracle/oracle.ts'
import { differ } from '../../plugins/providers/recordings/differences.ts'
import { Replay, type Replayed } from './replayed.ts'
import { surfaces } from './surfaces.ts'
import { wireIn } from './vendors.ts'

// A caller of one wire and a vendor of another: what the vendor said and what the caller's SDK reads are the same.

t.setTimeout(600_000)

const expectedShare = 0.99

t.test('recorded answers of other wires arrive', { skip: recordingsAbsent }, async t => {
  const replay = await Replay.start(() => true)
  t.teardown(() => replay.stop())
  for (const [name, surface] of Object.entries(surfaces))
    await t.test(name, async t => {
      let run = 0
      const missed = new Map<string, string[]>()
      for await (const each of replay.through(surface, recording => wireIn(recording) !== surface.wire)) {
        if (each.isResumed) continue
        run += 1
        const { recording, status, body, stream } = each
        if (status !== 200) t.fail(`${recording.path}: ${status} ${Buffer.from(body).toString().slice(0, 300)}`)
        else {
          for (const [what, problems] of Object.entries(differences(each)))
            if (problems.length > 0) missed.set(what, [...(missed.get(what) ?? []), `${recording.path}: ${problems.join('; ')}`])
          t.same(surface.validate(body, stream), [], recording.path)
        }
      }
      for (const [what, problems] of missed) {
        t.comment(`${name}: ${what} differs in ${problems.length} of ${run}:`, problems)
        t.ok(problems.length <= run * (1 - expectedShare), `${name}: ${what} arrives in ${expectedShare * 100}%`)
      }
      t.comment(`${name}: ${run} recordings run`)
      t.ok(run > 0)
    })
})

function differences({ expected, actual, stream }: Replayed): Readonly<Record<string, readonly string[]>> {
  const { usage } = expected
  return {
    text: differ('text', expected.text + expected.refusal, actual.text + actual.refusal),
    reasoning: differ('reasoning', dense(expected.reasoning), dense(actual.reasoning)),
    calls: differ('calls', JSON.stringify(callsOf(expected, stream)), JSON.stringify(callsOf(actual, stream))),
    finish: differ('finish', finishOf(expected), finishOf(actual)),
    usage: usage
      ? [
          ...differ('input', usage.input, actual.usage?.input),
          ...differ('cached', Math.min(usage.cached ?? 0, usage.input), actual.usage?.cached),
          ...differ('output', usage.output, actual.usage?.output),
        ]
      : [],
  }
}

/** Calls and refusals are reasons of their own, whatever the vendor says. */
function finishOf({ finish, refusal, toolCalls }: OracleReading): string | null {
  if (finish !== 'stop') return finish
  return refusal !== '' ? 'content-filter' : toolCalls.length > 0 ? 'tool-calls' : 'stop'
}

/** Parts of reasoning are joined with blank lines. */
function dense(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** A format that needs an object leaves out a call whose input was broken off, unless it streams. */
function callsOf({ toolCalls }: OracleReading, stream: boolean): readonly unknown[] {
  return toolCalls.flatMap(({ name, arguments: text, custom }) => {
    if (custom) return [[name, { input: text }]]
    try {
      return [[name, JSON.parse(text || '{}') ?? {}]]
    } catch {
      return stream ? [[name, text]] : []
    }
  })
}
