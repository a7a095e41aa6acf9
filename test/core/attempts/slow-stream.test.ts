import t from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { gateway, hello, saying, scripted } from '../../kit/gateway.ts'
import { ask, said, stop, text, usage } from '../../kit/stage.ts'

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

t.test('a stream that is too slow is given up, and the caller sees another answer only', async t => {
  for (const where of ['provider', 'server'] as const) {
    const slowStream = { tokensPerSecond: 100, overMs: 50 }
    const acme = slow([usage(3, 0), text('Slow'), text('ly')], where === 'provider' ? slowStream : undefined)
    const under = await gateway({
      plugins: [acme, saying('globex', hello)],
      settings: { ...silent, ...(where === 'server' && { slowStream }) },
    })
    const { status, response, requestId } = await ask(under, body)
    t.match([status, response.model, said(response)], [200, 'globex/m', 'Hello'])
    t.match((await under.record(requestId)).attempts, [
      { provider: 'acme', outcome: 'timeout' },
      { provider: 'globex', outcome: 'ok' },
    ])
    await under.stop()
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
  const go = Promise.withResolvers<void>()
  const acme = scripted(
    'acme',
    async function* () {
      yield text('Hel')
      await go.promise
      yield text('lo')
      yield stop
    },
    { slowStream: { tokensPerSecond: 1_000, overMs: 20 } },
  )
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: silent })
  t.teardown(under.stop)
  const replies = [ask(under, { model: 'acme/m', stream: true }), ask(under, { ...body, stream: false })]
  setTimeout(go.resolve, 80)
  for (const { response } of await Promise.all(replies)) t.match([response.status, response.model], ['completed', 'acme/m'])
})

t.test('nor is the last attempt that a request may make', async t => {
  const go = Promise.withResolvers<void>()
  const acme = scripted(
    'acme',
    async function* () {
      yield text('Hel')
      await go.promise
      yield stop
    },
    { slowStream: { tokensPerSecond: 1_000, overMs: 20 } },
  )
  const under = await gateway({ plugins: [acme, saying('globex', hello)], settings: { ...silent, maxAttempts: 1 } })
  t.teardown(under.stop)
  const reply = ask(under, body)
  setTimeout(go.resolve, 80)
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
