import t from 'tap'
import { CallObservers, ProviderFailure, type CallObserver } from '../../../core/index.ts'
import type {
  BegunAttempt,
  BegunCall,
  BegunToolRound,
  CallObservation,
  EndedAttempt,
  EndedCall,
  EndedToolRound,
} from '../../../core/kit.ts'
import { systemBackoff, type Backoff } from '../../../core/call/attempts/backoff.ts'
import decisionRoute from '../../../plugins/endpoints/decisions/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { decide, deciding } from '../../kit/decision-stage.ts'
import { adding, ask, listing, text, usage, witness, stop } from '../../kit/stage.ts'
import { calling, lookup, toCall } from '../../kit/tool-stage.ts'
import { giving } from './wrapper-stage.ts'

const body = { model: 'acme/m' }
let made = 0

function observing(begin: CallObserver['begin']) {
  return adding<CallObserver>(CallObservers, { name: `observer-${++made}`, begin })
}

interface Seen {
  readonly call: BegunCall
  readonly attempts: { readonly begun: BegunAttempt; readonly ended: EndedAttempt[] }[]
  readonly rounds: { readonly begun: BegunToolRound; readonly ended: EndedToolRound[] }[]
  readonly ends: EndedCall[]
  /** Attempts and rounds that were open at the end. */
  open: number
}

/** Keeps everything it gets. */
function witnessing() {
  const seen: Seen[] = []
  const plugin = observing(call => {
    const one: Seen = { call, attempts: [], rounds: [], ends: [], open: 0 }
    seen.push(one)
    return {
      attempt(begun) {
        const ended: EndedAttempt[] = []
        one.attempts.push({ begun, ended })
        return end => void ended.push(end)
      },
      toolRound(begun) {
        const ended: EndedToolRound[] = []
        one.rounds.push({ begun, ended })
        return end => void ended.push(end)
      },
      end(ended) {
        one.ends.push(ended)
        one.open = [...one.attempts, ...one.rounds].filter(each => each.ended.length === 0).length
      },
    }
  })
  return { plugin, seen }
}

t.test('an observer follows a call: its attempt, its times and its cost', async t => {
  for (const stream of [false, true]) {
    const { plugin, seen } = witnessing()
    const under = await gateway({
      plugins: [saying('acme', hello), listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 1 } }] }), plugin],
      key: { name: 'k', org: 'demo-org' },
    })
    t.teardown(under.stop)
    const { requestId } = await ask(under, { model: 'm', stream })
    const record = await under.record(requestId)
    t.equal(seen.length, 1)
    const [{ call, attempts, ends }] = seen as [Seen]
    const facts = {
      kind: 'generation',
      surface: 'responses',
      org: 'demo-org',
      team: null,
      stream,
      trace: null,
      session: null,
      requestedModel: 'm',
    }
    t.same(call, { id: requestId, at: record.at, keyId: record.keyId, ...facts })
    t.match(attempts, [
      {
        begun: { provider: 'acme', model: 'm', role: 'only' },
        ended: [{ outcome: 'ok', status: null, usage: { uncachedInput: 3, output: 2 }, costUsd: 5 / 1e6 }],
      },
    ])
    const [{ begun, ended }] = attempts as [Seen['attempts'][number]]
    t.equal(ended.length, 1)
    t.ok(begun.at >= call.at && Number.isFinite(begun.at))
    t.ok(ended[0]!.firstEventMs! >= 0 && ended[0]!.firstEventMs! <= ended[0]!.elapsedMs)
    t.match(ends, [
      { outcome: 'ok', status: 200, errorCode: null, provider: 'acme', model: 'm', answeredBy: null, attempts: 1, costUsd: record.costUsd },
    ])
    t.same(ends[0]!.usage, record.usage)
    t.ok(ends[0]!.elapsedMs >= ended[0]!.elapsedMs)
    t.ok(record.attempts[0]!.startedMs! >= 0, 'the record says when the attempt began')
    t.ok(Math.abs(record.at + record.attempts[0]!.startedMs! - begun.at) < 0.01)
  }
})

t.test('an observer sees each attempt once: failover, failures and what was outrun', async t => {
  const { plugin, seen } = witnessing()
  const failing = (id: string) =>
    witness(id, () => {
      throw new ProviderFailure({ kind: 'unavailable', status: 503, message: 'Down.' })
    }).plugin
  const endpoints = [{ provider: 'acme' }, { provider: 'globex' }]
  const under = await gateway({ plugins: [failing('acme'), saying('globex', hello), listing({ model: 'm', endpoints }), plugin] })
  t.teardown(under.stop)
  await ask(under, { model: 'm' })
  t.match(seen[0]!.attempts, [
    { begun: { provider: 'acme' }, ended: [{ outcome: 'unavailable', status: 503, firstEventMs: null, usage: null, costUsd: null }] },
    { begun: { provider: 'globex' }, ended: [{ outcome: 'ok' }] },
  ])
  const [record] = await under.recorded(1)
  const [first, second] = record!.attempts
  t.ok(first!.startedMs! <= second!.startedMs!, 'attempts begin one after the other')

  const all = witnessing()
  const down = await gateway({ plugins: [failing('acme'), all.plugin] })
  t.teardown(down.stop)
  const { status } = await ask(down, body)
  t.match(all.seen[0]!.ends, [{ outcome: 'failed', status, provider: 'acme', usage: null, costUsd: null }])
  t.equal(all.seen[0]!.open, 0)
})

t.test('an observer sees both attempts of a hedged request', async t => {
  let fire!: () => void
  const slept = Promise.withResolvers<void>()
  const backoff: Backoff = {
    ...systemBackoff,
    sleep: (_, signal) =>
      new Promise((resolve, reject) => {
        fire = resolve
        signal.addEventListener('abort', () => reject(signal.reason), { once: true })
        slept.resolve()
      }),
  }
  const hangs = scripted(
    'acme',
    async function* ({ signal }) {
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    { hedgeAfter: 50 },
  )
  const { plugin, seen } = witnessing()
  const under = await gateway({ backoff, plugins: [hangs, saying('globex', hello), plugin] })
  t.teardown(under.stop)
  const asking = ask(under, { ...body, stream: true, routing: { provider: { fallbacks: ['globex'] } } })
  await slept.promise
  fire()
  await asking
  await under.recorded(1)
  t.match(seen[0]!.attempts, [
    { begun: { provider: 'acme', role: 'first' }, ended: [{ outcome: 'outrun' }] },
    { begun: { provider: 'globex', role: 'hedge' }, ended: [{ outcome: 'ok' }] },
  ])
  for (const { ended } of seen[0]!.attempts) t.equal(ended.length, 1)
})

t.test('an observer sees rounds of tools by the type of the tool', async t => {
  const { plugin, seen } = witnessing()
  const acme = witness('acme', (_, count) =>
    count === 1 ? [...calling('lookup', { word: 'a' }, 'k1'), ...calling('lookup', { word: 'b' }, 'k2'), toCall] : [text('Found.'), stop],
  )
  const tool = lookup(({ arguments: { word } }) => {
    if (word === 'b') throw new Error('broken')
    return { output: 'found' }
  })
  const under = await gateway({ plugins: [acme.plugin, tool.plugin, plugin] })
  t.teardown(under.stop)
  await ask(under, { ...body, tools: [{ type: 'lookup' }] })
  t.match(seen[0]!.rounds, [{ begun: { tools: { lookup: 2 } }, ended: [{ failed: 1 }] }])
  t.equal(seen[0]!.attempts.length, 2)
  t.equal(seen[0]!.open, 0)
})

t.test('decisions, counts and answers of wrappers are observed', async t => {
  const { plugin, seen } = witnessing()
  const under = await gateway({
    plugins: [decisionRoute({}), deciding('dm').plugin, giving([text('a'), stop], { name: 'demo-cache' }), saying('acme', hello), plugin],
  })
  t.teardown(under.stop)
  await decide(under)
  await under.request('/v1/responses/input_tokens', { body: { ...body, input: 'hi' } })
  await ask(under, body)
  t.match(seen, [
    {
      call: { kind: 'decision', requestedModel: 'one' },
      attempts: [{ begun: { provider: 'dm' } }],
      ends: [{ outcome: 'ok', provider: 'dm' }],
    },
    { call: { kind: 'count' }, attempts: [], ends: [{ outcome: 'ok', usage: null }] },
    { call: { kind: 'generation' }, attempts: [], ends: [{ answeredBy: 'demo-cache', costUsd: 0, attempts: 0, provider: null }] },
  ])
})

t.test('an observer gets no content, and no name that a caller made up', async t => {
  const { plugin, seen } = witnessing()
  const secret = 'a-name-with-a-secret'
  for (const logging of [true, false]) {
    seen.length = 0
    const under = await gateway({
      plugins: [
        decisionRoute({}),
        deciding('dm').plugin,
        saying('acme', [text('the answer'), usage(1, 1), stop]),
        listing({ model: 'm', aliases: ['em'], endpoints: [{ provider: 'acme' }] }),
        plugin,
      ],
      key: { name: 'k', policy: { logging: { value: logging } } },
    })
    await ask(under, { model: `acme/${secret}`, input: 'the prompt' })
    await ask(under, { model: secret, input: 'the prompt' })
    await decide(under, { model: secret })
    const told = JSON.stringify(seen)
    t.equal(told.includes(secret), logging)
    t.notMatch(told, /the prompt|the answer/)
    t.match(seen, [
      {
        call: { requestedModel: logging ? `acme/${secret}` : null },
        attempts: [{ begun: { model: logging ? secret : null } }],
        ends: [{ model: logging ? secret : null, provider: 'acme' }],
      },
      { ends: [{ outcome: 'failed', status: 400 }] },
      {},
    ])
    for (const model of ['m', 'em', 'acme/m', 'auto']) await ask(under, { model })
    t.same(
      seen.slice(3).map(({ call }) => call.requestedModel),
      ['m', 'em', 'acme/m', 'auto'],
    )
    t.match(seen.at(-2), { ends: [{ model: 'm' }], attempts: [{ begun: { model: 'm' } }] })
    await under.stop()
  }
})

t.test('an observer learns of a client that leaves, and of the end of the gateway', async t => {
  for (const leaves of [true, false]) {
    const { plugin, seen } = witnessing()
    const begun = Promise.withResolvers<void>()
    const hanging = scripted('acme', async function* ({ signal }) {
      yield text('a')
      begun.resolve()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const under = await gateway({ plugins: [hanging, plugin] })
    t.teardown(under.stop)
    const leaving = new AbortController()
    const asking = under.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: leaving.signal }).catch(() => undefined)
    await begun.promise
    if (leaves) leaving.abort()
    else under.gateway.abortRuns()
    await asking
    await under.recorded(1)
    t.match(seen, [
      {
        attempts: [{ ended: [{ outcome: 'left' }] }],
        ends: [leaves ? { outcome: 'left', status: 499 } : { outcome: 'failed', status: 503 }],
        open: 0,
      },
    ])
  }
})

t.test('an observer that throws is logged once for each of its functions, and harms nothing', async t => {
  const broken = (): never => {
    throw new Error('broken')
  }
  const observations: readonly [string, () => CallObservation | undefined][] = [
    ['begin', broken],
    ['begin', () => 'text' as never],
    ['begin', (async () => broken()) as never],
    ['attempt', () => ({ attempt: broken })],
    ['attempt', () => ({ attempt: () => broken })],
    ['attempt', () => ({ attempt: (async () => broken()) as never })],
    ['attempt', () => ({ attempt: 7 as never })],
    ['toolRound', () => ({ toolRound: broken })],
    ['toolRound', () => ({ toolRound: () => broken })],
    ['end', () => ({ end: broken })],
    ['end', () => ({ end: async () => broken() })],
  ]
  for (const [hook, begin] of observations) {
    const { plugin, seen } = witnessing()
    const acme = witness('acme', (_, count) => (count % 2 === 1 ? [...calling('lookup', { word: 'a' }), toCall] : [text('Found.'), stop]))
    const under = await gateway({ plugins: [acme.plugin, lookup().plugin, observing(begin), plugin] })
    for (const stream of [false, true]) t.equal((await ask(under, { ...body, stream, tools: [{ type: 'lookup' }] })).status, 200)
    const lines = under.logs.filter(line => line.includes('a call observer failed'))
    t.equal(lines.length, 1, hook)
    t.match(lines[0], new RegExp(`"in":"${hook}"`))
    t.match(lines[0], /"plugin":"adding-/)
    t.match(seen, [{ ends: [{}] }, { ends: [{}] }], 'other observers are told all the same')
    await under.stop()
  }
})

t.test('200 calls at once each begin and end once', async t => {
  const { plugin, seen } = witnessing()
  const under = await gateway({ plugins: [saying('acme', hello), plugin] })
  t.teardown(under.stop)
  await Promise.all(Array.from({ length: 200 }, (_, index) => ask(under, { ...body, stream: index % 2 === 0 })))
  t.equal((await under.recorded(200)).length, 200)
  t.equal(new Set(seen.map(({ call }) => call.id)).size, 200)
  t.ok(
    seen.every(({ ends, attempts, open }) => ends.length === 1 && attempts.length === 1 && attempts[0]!.ended.length === 1 && open === 0),
  )
})
