import t from 'tap'
import type { GenerationRequest, GuardVerdict, RunContext } from '../../../core/index.ts'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import type { Searches, Turn } from '../../../plugins/guardrails/redaction/searches.ts'
import { RedactionSession } from '../../../plugins/guardrails/redaction/session.ts'

// Whatever the machine's speed: how often a search offers to pause, and that it ends at any pause.

const finder = new Finder({})
const count = 20_000
const numbers = Array.from({ length: count }, (_, index) => index)
const texts: Readonly<Record<string, string>> = {
  'distinct addresses': numbers.map(index => `a${index}@b.co`).join(' '),
  'JSON with distinct addresses': JSON.stringify(Object.fromEntries(numbers.map(index => [`10.0.${index >> 8}.${index & 255}`, '']))),
  'JSON without personal data': JSON.stringify(Object.fromEntries(numbers.map(index => [`key${index}`, 'ab']))),
  'JSON with one long string': JSON.stringify(['one "two" '.repeat(40_000)]),
  'a list in JSON in JSON': JSON.stringify([JSON.stringify(numbers.map(String))]),
}

interface Run {
  readonly pauses: readonly number[]
  readonly verdict: GuardVerdict
  readonly kept: unknown
}

/** Every turn is over at once. `last`: how many pauses the caller stays for. */
async function run(content: string, last = Infinity): Promise<Run> {
  const pauses: number[] = []
  let left = last
  const searches = {
    run: <T>(_owner: string, _characters: number, _signal: AbortSignal, search: (turn: Turn) => Promise<T>): Promise<T> => {
      pauses.push(0)
      const next = async (): Promise<void> => {
        if (left-- <= 0) throw new Error(left === -1 ? 'gone' : 'asked again')
        pauses[pauses.length - 1]!++
      }
      return search({ isOver: () => true, next })
    },
  } as unknown as Searches
  let kept: unknown
  const context = {
    caller: { owner: 'jane', policy: { logging: { value: true } } },
    keep: (_: string, content: unknown) => void (kept = content),
  } as unknown as RunContext
  const session = new RedactionSession({}, searches, async () => finder, context)
  const request = { model: 'm', input: [{ type: 'message', role: 'user', content }] } as unknown as GenerationRequest
  return { verdict: await session.input(request, new AbortController().signal), pauses, kept }
}

for (const [name, content] of Object.entries(texts))
  t.test(`${name}: read, joined, searched and replaced in short steps`, async t => {
    const { pauses, verdict, kept } = await run(content)
    const [reading, joining, searching] = pauses as [number, number, number]
    const isJson = name.includes('JSON')
    if (isJson) t.ok(reading >= content.length / 16_384, `${reading} pauses while reading ${content.length} characters`)
    if (isJson && !name.includes('one long')) t.ok(joining >= count / 512, `${joining} pauses while joining`)
    const windows = Math.ceil(content.length / 16_384)
    t.ok(searching >= windows, `${searching} pauses while searching`)
    if (!name.includes('addresses')) return void t.same(verdict, { pass: true })
    t.equal(Object.keys((kept as { placeholders: object }).placeholders).length, count)
    t.ok(searching >= windows * 7 + (2 * count) / 512, `${searching} pauses while searching and replacing`)
    const all = reading + joining + searching
    for (const share of [0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
      await t.rejects(run(content, Math.floor(all * share)), { message: 'gone' }, `left after ${share} of it`)
  })
