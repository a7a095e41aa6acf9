import t from 'tap'
import {
  CallWrappers,
  GatewayError,
  ProviderFailure,
  type CallWrapper,
  type CatalogEntry,
  type GenerationEvent,
  type Provider,
  type ProviderCall,
} from '../../../core/index.ts'
import { scripted } from '../../kit/gateway.ts'
import { adding, guarding, listing, stop, text, usage, witness } from '../../kit/stage.ts'
import { stage, texts } from './choices-stage.ts'

const price = { input: 1, output: 10 }
const length: GenerationEvent = { type: 'finish', reason: 'length' }
const choice: GenerationEvent = { type: 'choice', reason: 'stop' }

function model(capabilities: object = {}, ...providers: readonly string[]): CatalogEntry {
  const endpoint = { price, maxOutputTokens: 1_000, capabilities: { tools: true, ...capabilities } }
  return { model: 'm', endpoints: (providers.length > 0 ? providers : ['acme']).map(provider => ({ provider, ...endpoint })) }
}

/** Each call waits for the test. */
function byHand(more: Partial<Provider> = {}) {
  const calls: { readonly call: ProviderCall; readonly go: PromiseWithResolvers<readonly GenerationEvent[]> }[] = []
  const plugin = scripted(
    'acme',
    async function* (call) {
      const go = Promise.withResolvers<readonly GenerationEvent[]>()
      calls.push({ call, go })
      yield text(`<${calls.length}`)
      const left = new Promise<never>((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)))
      left.catch(() => {})
      yield* await Promise.race([go.promise, left])
    },
    more,
  )
  const until = async (count: number): Promise<void> => {
    while (calls.length < count) await new Promise(setImmediate)
  }
  return { plugin, calls, until }
}

const numbered = (_: ProviderCall, count: number): readonly GenerationEvent[] => [text(`Way ${count}.`), usage(10, count), stop]

for (const stream of [true, false]) {
  const how = stream ? 'streamed' : 'whole'

  t.test(`an endpoint that gives one choice is asked as many times, ${how}`, async t => {
    const acme = witness('acme', numbered)
    const { choose } = await stage(t, [acme.plugin, listing(model())])
    const told = await choose({ stream, seed: 5 })
    t.same(texts(told), ['Way 1.', 'Way 2.', 'Way 3.'])
    t.same(
      told.choices.map(({ end }) => end),
      ['stop', 'stop', 'stop'],
    )
    t.match(told.usage, { uncachedInput: 30, output: 6 }, 'one bill has all of them')
    t.match(told.record, {
      status: 200,
      usage: { uncachedInput: 30, output: 6 },
      attempts: [{ outcome: 'ok' }, { outcome: 'ok' }, { outcome: 'ok' }],
    })
    t.equal(told.record.costUsd, (30 * price.input + 6 * price.output) / 1e6)
    t.ok(
      acme.calls.every(({ request }) => !('choices' in request)),
      'nobody is asked for what it cannot do',
    )
    t.same(
      acme.calls.map(({ request }) => request.seed),
      [5, 4, 3],
      'one seed does not make the same choice three times',
    )
  })

  t.test(`an endpoint that gives several choices is asked once, ${how}`, async t => {
    const events = [text('Left'), choice, text('Right'), { ...choice, reason: 'length' } as const, text('Back'), usage(10, 6), stop]
    const acme = witness('acme', () => events)
    const { choose } = await stage(t, [acme.plugin, listing(model({ choices: true }))])
    const told = await choose({ stream })
    t.same(told.choices, [
      { text: 'Left', calls: '', callIds: [], end: 'stop' },
      { text: 'Right', calls: '', callIds: [], end: 'length' },
      { text: 'Back', calls: '', callIds: [], end: 'stop' },
    ])
    t.equal(acme.calls.length, 1)
    t.equal(acme.calls[0]!.request.choices, 3)
    t.match(told.record, { usage: { uncachedInput: 10, output: 6 }, attempts: { length: 1 } })
  })
}

t.test('the others are asked at once when the first begins, and wait for their turn', async t => {
  const acme = byHand()
  const { choose } = await stage(t, [acme.plugin, listing(model())])
  const seen: string[] = []
  const asking = choose({}, { wrote: event => void (event.type === 'text' && seen.push(event.text)) })
  await acme.until(3)
  acme.calls[2]!.go.resolve([text('c>'), usage(1, 1), stop])
  acme.calls[1]!.go.resolve([text('b>'), usage(1, 1), stop])
  await new Promise(setImmediate)
  t.same(seen, ['<1'], 'only the first choice is told')
  acme.calls[0]!.go.resolve([text('a>'), usage(1, 1), stop])
  t.same(texts(await asking), ['<1a>', '<2b>', '<3c>'])
})

t.test('the calls of each choice have ids and keys of their own', async t => {
  const calling = [
    { type: 'tool-call', key: '0', callId: 'call_0', name: 'go' },
    { type: 'tool-input', key: '0', text: '{}' },
  ] as const
  const tools = [{ type: 'function', name: 'go', parameters: { type: 'object' } }] as const
  const acme = witness('acme', ({ request }) => [
    ...(request.choices ? [...calling, { ...choice, reason: 'tool-calls' } as const] : []),
    ...calling,
    usage(1, 1),
    { type: 'finish', reason: 'tool-calls' },
  ])
  for (const choices of [true, false]) {
    const { choose } = await stage(t, [acme.plugin, listing(model({ choices }))])
    const told = await choose({ choices: 2, tools })
    t.same(told.choices, Array(2).fill({ text: '', calls: '{}', callIds: ['call_0'], end: 'tool-calls' }))
  }
})

t.test('an endpoint that fails before it begins is followed by the next, whatever each can do', async t => {
  const down = witness('down', () => {
    throw new ProviderFailure({ kind: 'unavailable', message: 'is down' })
  })
  const acme = witness('acme', numbered)
  const endpoints = [...model({ choices: true }, 'down').endpoints, ...model({}, 'acme').endpoints]
  const { choose } = await stage(t, [down.plugin, acme.plugin, listing({ model: 'm', endpoints })])
  const told = await choose({ choices: 2 })
  t.same(texts(told), ['Way 1.', 'Way 2.'])
  t.same(
    told.record.attempts.map(({ provider, outcome }) => [provider, outcome]),
    [
      ['down', 'unavailable'],
      ['acme', 'ok'],
      ['acme', 'ok'],
    ],
  )
})

t.test('a choice that does not begin fails all, at once', async t => {
  const acme = byHand()
  const limited = scripted('acme', async function* (call) {
    if (acme.calls.length === 2) throw new ProviderFailure({ kind: 'rate-limit', status: 429, message: 'Too many.' })
    acme.calls.push({ call, go: Promise.withResolvers() })
    yield text('Some words.')
    await new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)))
  })
  const { choose } = await stage(t, [limited, listing(model())])
  const told = await choose()
  t.match(told.error, { message: /Too many/ })
  t.same(texts(told), ['Some words.'], 'the first choice does not go on')
  t.same(told.record.attempts.map(({ outcome }) => outcome).toSorted(), ['left', 'left', 'rate-limit'])
  t.equal(told.record.errorCode, told.error!.code)
  t.ok((told.usage?.output ?? 0) >= 4, 'what two of them have said is billed')
  t.ok(acme.calls.every(({ call }) => call.signal.aborted))
})

t.test('a choice that breaks off fails all, and what came is billed', async t => {
  const acme = byHand()
  const { choose } = await stage(t, [acme.plugin, listing(model())])
  const asking = choose()
  await acme.until(3)
  acme.calls[0]!.go.resolve([text('a>'), usage(7, 2), stop])
  acme.calls[1]!.go.reject(new ProviderFailure({ kind: 'network', message: 'The line broke.' }))
  const told = await asking
  t.match(told.error, { message: /The line broke/ })
  t.same(texts(told), ['<1a>', '<2'])
  t.equal(told.choices[1]!.end, '', 'it never ends as a success')
  t.same(told.record.attempts.map(({ outcome }) => outcome).toSorted(), ['left', 'network', 'ok'])
  t.ok(told.usage!.uncachedInput > 7, 'the input of all three')
  t.ok(told.usage!.output >= 4)
})

t.test('a caller who leaves ends all of them, and pays for what came', async t => {
  const acme = byHand()
  const { choose } = await stage(t, [acme.plugin, listing(model())])
  let leaving: (() => void) | undefined
  const asking = choose({}, { wrote: (_, leave) => (leaving = leave) })
  await acme.until(3)
  while (!leaving) await new Promise(setImmediate)
  await new Promise(setImmediate)
  leaving()
  const told = await asking
  t.equal(told.error?.status, 499)
  t.ok(acme.calls.every(({ call }) => call.signal.aborted))
  t.same(
    told.record.attempts.map(({ outcome }) => outcome),
    ['left', 'left', 'left'],
  )
  t.ok(told.usage!.output >= 3, 'each has said something')
})

for (const withheld of [['ten words '.repeat(10)], [5, 'ten words '.repeat(10)], 'broken'] as const)
  t.test(
    `a caller who leaves pays for choices that wait inside the provider (${typeof withheld === 'string' ? 'broken' : withheld.length})`,
    async t => {
      const acme = scripted('acme', async function* (call) {
        call.withholds?.(() => {
          if (typeof withheld === 'string') throw new Error('broken')
          return withheld as readonly string[]
        })
        yield text('Left')
        await new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)))
      })
      const { choose } = await stage(t, [acme, listing(model({ choices: true }))])
      const told = await choose({ choices: 2 }, { wrote: (_, leave) => void setImmediate(leave) })
      t.equal(told.error?.status, 499)
      const { output, estimated } = told.usage!
      t.equal(estimated, true)
      t.ok(withheld === 'broken' ? output < 10 : output >= 20, `${output} tokens of output`)
    },
  )

t.test('a caller who leaves before the last choice begins ends it, too', async t => {
  const seen: AbortSignal[] = []
  const acme = scripted('acme', async function* (call) {
    seen.push(call.signal)
    if (seen.length === 2)
      await new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason as Error)))
    yield text('Left.')
    yield usage(3, 2)
    yield stop
  })
  const { choose } = await stage(t, [acme, listing(model())])
  const told = await choose({ choices: 2 }, { wrote: (event, leave) => void (event.type === 'choice' && setImmediate(leave)) })
  t.equal(told.error?.status, 499)
  t.match(told.record, { attempts: [{ outcome: 'ok' }, { outcome: 'left' }], usage: { uncachedInput: 3, output: 2 } })
  t.ok(seen[1]!.aborted)
})

t.test('a slow client slows down all choices', async t => {
  const drained = Promise.withResolvers<void>()
  const slow = { full: false, drained: drained.promise }
  let hasDrained = false
  const pulled = [0, 0]
  let calls = 0
  const acme = scripted('acme', async function* () {
    const index = calls++
    for (let piece = 0; piece < 100; piece++) {
      pulled[index]!++
      yield text('x')
      await new Promise(setImmediate)
    }
    yield usage(1, 100)
    yield stop
  })
  const { choose } = await stage(t, [acme, listing(model())])
  const asking = choose({ choices: 2 }, { slow, wrote: event => void (slow.full = event.type === 'text' && !hasDrained) })
  for (let turn = 0; turn < 300; turn++) await new Promise(setImmediate)
  t.ok(pulled[0]! < 10 && pulled[1]! < 10, `nobody reads ahead: ${pulled.join(' and ')}`)
  hasDrained = true
  slow.full = false
  drained.resolve()
  t.same(
    texts(await asking).map(({ length }) => length),
    [100, 100],
  )
})

t.test("the time in which a choice waits for its turn is not the vendor's", async t => {
  const acme = byHand({ timeouts: { betweenEventsMs: 200 } })
  const { choose } = await stage(t, [acme.plugin, listing(model())])
  const drained = Promise.withResolvers<void>()
  const slow = { full: true, drained: drained.promise }
  const asking = choose({ choices: 2 }, { slow })
  await acme.until(2)
  setTimeout(() => {
    slow.full = false
    for (const { go } of acme.calls) go.resolve([text('>'), stop])
    drained.resolve()
  }, 500)
  t.same(texts(await asking), ['<1>', '<2>'])
})

t.test('a provider with one place is asked for one choice after the other', async t => {
  let running = 0
  let most = 0
  const acme = scripted(
    'acme',
    async function* () {
      most = Math.max(most, ++running)
      yield text('words')
      await new Promise(setImmediate)
      running--
      yield usage(1, 1)
      yield stop
    },
    { maxConcurrent: 1 },
  )
  const { choose } = await stage(t, [acme, listing(model())])
  const [one, other] = [await choose({ choices: 8 }), await choose({ choices: 4 })]
  t.equal(one.choices.length, 8)
  t.equal(other.choices.length, 4)
  t.equal(most, 1)
})

t.test('a reply with another number of choices is no answer', async t => {
  const few = await stage(t, [witness('acme', () => [text('a'), choice, text('b'), stop]).plugin, listing(model({ choices: true }))])
  t.match((await few.choose()).error, { message: /was asked for 3 choices, and gave 2/ })
  const many = await stage(t, [witness('acme', () => [choice, choice, choice, text('b'), stop]).plugin, listing(model({ choices: true }))])
  t.equal((await many.choose()).record.attempts[0]!.outcome, 'protocol')
  const unasked = await stage(t, [witness('acme', () => [text('a'), choice, text('b'), stop]).plugin, listing(model({ choices: true }))])
  t.equal((await unasked.choose({ choices: undefined })).record.attempts[0]!.outcome, 'protocol')
  const blocked = await stage(t, [
    witness('acme', () => [text('a'), { type: 'finish', reason: 'content-filter' }]).plugin,
    listing(model({ choices: true })),
  ])
  t.equal((await blocked.choose()).choices[0]!.end, 'content-filter', 'a filter may stop all of them')
})

t.test('a pause ends its choice', async t => {
  const pause: GenerationEvent = { type: 'finish', reason: 'pause' }
  const acme = witness('acme', (_, count) => [text(`Way ${count}`), usage(1, 1), count === 1 ? pause : length])
  const { choose } = await stage(t, [acme.plugin, listing(model())])
  t.match((await choose({ choices: 2 })).choices, [{ end: 'stop' }, { end: 'length' }])
  t.equal(acme.calls.length, 2)
})

t.test('guardrails see the items of all choices, and the end of each in its place', async t => {
  for (const choices of [true, false]) {
    const acme = witness('acme', ({ request }) =>
      request.choices ? [text('secret 1'), choice, text('secret 2'), usage(1, 1), stop] : [text('secret'), usage(1, 1), stop],
    )
    const seen: string[] = []
    const checks = guarding({
      item: async ({ texts: [shown] }) => {
        await new Promise(setImmediate)
        seen.push(shown!.text)
        return { replace: [shown!.text.toUpperCase()] }
      },
    })
    const filters = guarding({
      output: () => {
        let held = ''
        return {
          push(piece) {
            held += piece
            return ''
          },
          flush: () => held.replace(/secret/i, '***'),
        }
      },
    })
    const { choose } = await stage(t, [acme.plugin, listing(model({ choices })), checks, filters])
    const told = await choose({ choices: 2 })
    t.equal(seen.length, 2)
    t.same(texts(told), choices ? ['*** 1', '*** 2'] : ['***', '***'])
  }
})

t.test('a guardrail that refuses one choice refuses all', async t => {
  const refusal = new GatewayError({ status: 422, type: 'invalid_request_error', code: 'policy_refusal', message: 'No.' })
  const acme = witness('acme', numbered)
  const checks = guarding({ item: ({ texts: [shown] }) => (shown!.text.includes('2') ? { refuse: refusal } : { pass: true }) })
  const { choose } = await stage(t, [acme.plugin, listing(model()), checks])
  const told = await choose()
  t.equal(told.error?.code, 'policy_refusal')
  t.equal(texts(told).includes('Way 2.'), false)
})

t.test('the format of each choice is checked', async t => {
  const schema = { type: 'object', required: ['way'], properties: { way: { type: 'string' } } }
  const format = { type: 'json_schema', name: 'way', schema } as const
  const good = text('```json\n{"way":"left"}\n```')
  for (const choices of [true, false])
    for (const bad of [true, false]) {
      const last = bad ? text('{"way":7}') : good
      const acme = witness('acme', ({ request }, count) =>
        request.choices ? [good, choice, last, usage(1, 1), stop] : [count === 1 ? good : last, usage(1, 1), stop],
      )
      const { choose } = await stage(t, [acme.plugin, listing(model({ choices, structuredOutput: 'none' }))])
      const told = await choose({ choices: 2, text: { format } })
      if (bad) t.match(told.error, { message: /does not match/ }, `${choices}`)
      else t.same(texts(told), ['{"way":"left"}', '{"way":"left"}'])
    }
})

t.test('call wrappers see the choices of an answer, and may give them', async t => {
  for (const choices of [true, false]) {
    const seen: GenerationEvent[] = []
    let kept: readonly GenerationEvent[] | undefined
    const cache: CallWrapper = {
      name: 'cache',
      seesContent: 'local',
      keepsContent: false,
      timeoutMs: 1_000,
      generation: () => (kept ? { answer: kept } : { write: event => void seen.push(event), end: () => void (kept = seen) }),
    }
    const acme = witness('acme', ({ request }, count) =>
      request.choices ? [text('a'), choice, text('b'), usage(5, 3), stop] : [text(count === 1 ? 'a' : 'b'), usage(5, count), stop],
    )
    const { choose } = await stage(t, [acme.plugin, listing(model({ choices })), adding(CallWrappers, cache)])
    const told = await choose({ choices: 2 })
    const last = choices ? usage(5, 3) : usage(10, 3)
    t.same(
      seen.filter(({ type }) => type !== 'model'),
      [text('a'), choice, text('b'), last, stop],
    )
    t.same((await choose({ choices: 2 })).choices, told.choices, 'the answer that was kept has both')
    t.equal((await choose({ choices: 3 })).error?.status, 500, 'a wrapper that gives too few')
  }
})
