import { mock } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import t, { type Test } from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { Gate } from '../../../core/testing/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { ask, said, stop, text, usage, witness } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const
const body = { model: 'acme/m', stream: true, routing: { provider: { fallbacks: ['globex'] } } }

/** Says these, and then nothing until it is aborted. */
function slow(first: readonly GenerationEvent[], slowStream?: { tokensPerSecond: number; overMs: number }, spoken = () => {}) {
  return scripted(
    'acme',
    async function* ({ signal }) {
      yield* first
      spoken()
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    slowStream ? { slowStream } : {},
  )
}

/** From here on, time passes only when the test says so. */
function holdTime(t: Test): (milliseconds: number) => Promise<void> {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  return async milliseconds => {
    await nextTurn()
    mock.timers.tick(milliseconds)
    await nextTurn()
  }
}

t.test('a stream that is too slow is given up, and the caller sees another answer only', async t => {
  const pass = holdTime(t)
  for (const where of ['provider', 'server'] as const) {
    const slowStream = { tokensPerSecond: 100, overMs: 50 }
    const spoken = Promise.withResolvers<void>()
    const acme = slow([usage(3, 0), text('Slow'), text('ly')], where === 'provider' ? slowStream : undefined, spoken.resolve)
    const globex = witness('globex', () => hello)
    const under = await gateway({
      plugins: [acme, globex.plugin],
      settings: { ...silent, ...(where === 'server' && { slowStream }) },
    })
    const reply = ask(under, body)
    await spoken.promise
    await pass(49)
    t.equal(globex.calls.length, 0, 'not before its time')
    await pass(1)
    const { status, response } = await reply
    t.match([status, response.model, said(response)], [200, 'globex/m', 'Hello'])
    await under.stop()
    t.match(under.records, [
      {
        attempts: [
          { provider: 'acme', outcome: 'timeout' },
          { provider: 'globex', outcome: 'ok' },
        ],
      },
    ])
  }
})

t.test('a stream that shows its pace, or that is complete, is passed on with all that was held', async t => {
  const slowStream = { tokensPerSecond: 20, overMs: 600_000 }
  const answers: readonly (readonly GenerationEvent[])[] = [
    [text('Short.'), usage(3, 2), stop],
    [...Array.from({ length: 12_100 }, () => text('word ')), usage(3, 12_100), stop],
    [
      { type: 'tool-call', key: 'a', name: 'f' },
      { type: 'tool-input', key: 'a', text: '{}' },
      usage(3, 2),
      { type: 'finish', reason: 'tool-calls' },
    ],
  ]
  for (const events of answers) {
    const under = await gateway({ plugins: [saying('acme', events, { slowStream }), saying('globex', hello)], settings: silent })
    const { response, headers } = await ask(under, { ...body, tools: [{ type: 'function', name: 'f', parameters: {} }] })
    t.match([response.status, response.model, headers.get('x-gateway-attempts')], ['completed', 'acme/m', '1'])
    const expected = events.map(event => (event.type === 'text' ? event.text : '')).join('')
    t.equal(said(response), expected)
    await under.stop()
  }
})

t.test('a stream that breaks off before it has shown its pace is replaced, too', async t => {
  const acme = saying('acme', [text('Hel')], { slowStream: { tokensPerSecond: 20, overMs: 600_000 } })
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: silent })
  t.teardown(under.stop)
  const { response } = await ask(under, body)
  t.match([response.status, response.model, said(response)], ['completed', 'globex/m', 'Hello'])
})

t.test('with no other endpoint left, slow is better than nothing; and replies that do not stream are not measured', async t => {
  const pass = holdTime(t)
  let gate: Gate
  const acme = scripted(
    'acme',
    async function* () {
      yield text('Hel')
      await gate.pass()
      yield text('lo')
      yield usage(1, 1)
      yield stop
    },
    { slowStream: { tokensPerSecond: 1_000, overMs: 20 } },
  )
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: silent })
  t.teardown(under.stop)
  for (const asked of [
    { model: 'acme/m', stream: true },
    { ...body, stream: false },
  ]) {
    gate = new Gate()
    const reply = ask(under, asked)
    await gate.reached
    await pass(80)
    gate.open()
    const { response } = await reply
    t.match([response.status, response.model], ['completed', 'acme/m'])
  }
})

t.test('nor is the last attempt that a request may make', async t => {
  const pass = holdTime(t)
  const gate = new Gate()
  const acme = scripted(
    'acme',
    async function* () {
      yield text('Hel')
      await gate.pass()
      yield usage(1, 1)
      yield stop
    },
    { slowStream: { tokensPerSecond: 1_000, overMs: 20 } },
  )
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: { ...silent, maxAttempts: 1 } })
  t.teardown(under.stop)
  const reply = ask(under, body)
  await gate.reached
  await pass(80)
  gate.open()
  t.match((await reply).response, { status: 'completed', model: 'acme/m' })
})

t.test('a client that leaves meanwhile ends the attempt', async t => {
  const spoken = Promise.withResolvers<void>()
  const under = await gateway({
    plugins: [slow([text('Hel')], { tokensPerSecond: 20, overMs: 600_000 }, spoken.resolve), saying('globex', hello)],
    settings: silent,
  })
  t.teardown(under.stop)
  const client = new AbortController()
  const reply = under.request('/v1/responses', { body: { ...body, input: 'hi' }, signal: client.signal })
  await spoken.promise
  client.abort()
  await reply.catch(() => {})
  t.match(await under.recorded(1), [{ status: 499, attempts: [{ provider: 'acme', outcome: 'left' }] }])
})
