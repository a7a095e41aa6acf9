import t, { type Test } from 'tap'
import { noUsage, ProviderFailure, type GenerationEvent } from '../../core/index.ts'
import { checkEvents, checkGenerationEvents, checkResponse, readEvents } from '../../core/testing/index.ts'
import { gateway, scripted } from '../gateway.ts'

// Whatever a provider may say, in whatever order, clients get a stream and an object that obey the protocol.

type Random = (below: number) => number

/** Mulberry32: small, even, and the same everywhere. */
function randomFrom(seed: number): Random {
  let state = seed
  return below => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const words = ['a', 'Hi ', '🙂', '\n', '"', '\u2028', '', 'x'.repeat(50)]
const argumentPieces = ['{"a"', ':1', '}']

/** What a provider says before it finishes. */
function sequence(random: Random): GenerationEvent[] {
  const events: GenerationEvent[] = []
  const calls: { readonly key: string; given: number }[] = []
  const word = (): string => words[random(words.length)]!
  const key = (): string => `key-${events.length}`
  const newPart = (): object => (random(3) === 0 ? { newPart: true } : {})
  const kinds: readonly (() => void)[] = [
    () => events.push({ type: 'text', text: word() }),
    () => events.push({ type: 'text', text: word(), phase: 'commentary' }),
    () => events.push({ type: 'text', text: 'a', logprobs: [{ token: 'a', logprob: -0.1 }] }),
    () => events.push({ type: 'refusal', text: word() }),
    () =>
      events.push(
        { type: 'text', text: 'cited' },
        { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com', title: '' }, start: 0, end: 3 },
      ),
    () => events.push({ type: 'reasoning', text: word(), form: 'summary', ...newPart() }),
    () => events.push({ type: 'reasoning', text: word(), form: 'full', ...newPart() }),
    () => events.push({ type: 'reasoning-state', opaque: 'c3RhdGU=' }),
    () => events.push({ type: 'item-end' }),
    () => {
      calls.push({ key: key(), given: 0 })
      events.push({ type: 'tool-call', key: key(), name: 'weather', ...(random(2) === 0 && { callId: `call_${events.length}` }) })
    },
    () => {
      const call = calls[random(Math.max(1, calls.length))]
      if (call && call.given < argumentPieces.length)
        events.push({ type: 'tool-input', key: call.key, text: argumentPieces[call.given++]! })
    },
    () => {
      const custom = key()
      events.push(
        { type: 'tool-call', key: custom, name: 'shell', custom: true, namespace: 'box' },
        { type: 'tool-input', key: custom, text: word() },
      )
    },
    () => {
      const search = { type: 'search', key: key(), action: { type: 'search', query: 'q', sources: [] } } as const
      events.push({ ...search, status: 'in_progress' })
      if (random(3) > 0) events.push({ ...search, status: random(2) === 0 ? 'completed' : 'failed' })
    },
    () => events.push({ type: 'compaction', opaque: 'Y29tcGFjdA==' }),
    () => events.push({ type: 'usage', usage: { ...noUsage, uncachedInput: 5, output: 3 } }),
  ]
  if (random(3) === 0) events.push({ type: 'warning', param: 'top_p', message: 'dropped' })
  if (random(3) === 0) events.push({ type: 'model', model: 'demo-1' })
  for (let left = random(12); left > 0; left--) kinds[random(kinds.length)]!()
  return events
}

const endings = ['stop', 'length', 'content-filter', 'tool-calls', 'failure', 'cut'] as const

t.test('whatever a provider says, what clients get obeys the protocol', async t => {
  let said: readonly GenerationEvent[] = []
  let ending: (typeof endings)[number] = 'stop'
  const demo = scripted('demo', async function* () {
    yield* said
    if (ending === 'failure') throw new ProviderFailure({ kind: 'unavailable', message: 'The provider is gone.' })
    if (ending !== 'cut') yield { type: 'finish', reason: ending }
  })
  const { request, stop } = await gateway({ plugins: [demo] })
  t.teardown(stop)
  const random = randomFrom(1)
  const seen = new Map<string, number>()
  for (let count = 0; count < 400; count++) {
    said = sequence(random)
    ending = endings[random(endings.length)]!
    checkGenerationEvents(said)
    const what = `${ending} after ${JSON.stringify(said)}`
    const broken = ending === 'failure' || ending === 'cut'

    const whole = await request('/v1/responses', { body: { model: 'demo/one', input: 'Hi', stream: false } })
    const object = await whole.json()
    if (whole.status !== (broken ? 424 : 200)) t.fail(`${whole.status}: ${what}`)
    else if (!broken) complain(t, what, () => checkResponse(object))

    const streamed = await request('/v1/responses', { body: { model: 'demo/one', input: 'Hi', stream: true } })
    const text = await streamed.text()
    let status: string = `${streamed.status}`
    if (streamed.status === 200) complain(t, what, () => (status = checkEvents(readEvents(text)).response.status))
    seen.set(`${ending}: ${status}`, (seen.get(`${ending}: ${status}`) ?? 0) + 1)
  }
  t.same([...seen.keys()].sort(), [
    'content-filter: incomplete',
    'cut: 424',
    'cut: failed',
    'failure: 424',
    'failure: failed',
    'length: incomplete',
    'stop: completed',
    'tool-calls: completed',
  ])
})

function complain(t: Test, what: string, check: () => void): void {
  try {
    check()
  } catch (error) {
    t.fail(`${(error as Error).message}: ${what}`)
  }
}
