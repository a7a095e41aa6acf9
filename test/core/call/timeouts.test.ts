import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { defaultSettings } from '../../../core/framework/settings.ts'
import type { GenerationEvent } from '../../../core/index.ts'
import type { Timeouts } from '../../../core/kit.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { gateway, hello, scripted } from '../../kit/gateway.ts'
import { ask, listing, text } from '../../kit/stage.ts'

const silent = { logLevel: 'silent' } as const
const long: Timeouts = { connectMs: 600_000, firstEventMs: 600_000, betweenEventsMs: 600_000, totalMs: 600_000 }

/** Says these, and then nothing until it is aborted. */
function hanging(events: readonly GenerationEvent[], timeouts?: Partial<Timeouts>) {
  return scripted(
    'acme',
    async function* ({ signal }) {
      yield* events
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    },
    timeouts ? { timeouts } : {},
  )
}

t.test("each timeout is the provider's own, or else the server's", async t => {
  for (const [member, events, stream, problem] of [
    ['firstEventMs', [], true, 'sent nothing within 30 ms'],
    ['betweenEventsMs', [text('Hel')], true, 'sent nothing for 30 ms'],
    ['totalMs', [text('Hel')], true, 'did not finish within 30 ms'],
    ['totalMs', [], false, 'did not finish within 30 ms'],
  ] as const) {
    for (const own of [true, false]) {
      const short = { [member]: 30 }
      const under = await gateway({
        plugins: [hanging(events, own ? short : {})],
        settings: { ...silent, timeouts: own ? long : { ...long, ...short } },
      })
      const reply = await ask(under, { model: 'acme/m', stream })
      const error = reply.status === 200 ? reply.response.error : reply.error
      t.match(error, { code: 'provider_timeout', message: `The provider "acme" ${problem}.` }, `${member}, ${own ? 'own' : 'server'}`)
      await under.stop()
    }
  }
})

t.test('the time to connect, TLS included', async t => {
  const server = createServer(socket => void socket.on('error', () => {}).resume())
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const baseUrl = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  for (const own of [true, false]) {
    const acme = openaiChat({ id: 'acme', host: 'compatible', baseUrl, apiKey: 'sk-demo', ...(own && { timeouts: { connectMs: 50 } }) })
    const under = await gateway({ plugins: [acme], settings: { ...silent, timeouts: { ...long, ...(!own && { connectMs: 50 }) } } })
    const { status, error } = await ask(under, { model: 'acme/demo' })
    t.match([status, error.code, error.message], [504, 'provider_timeout', 'The provider did not accept a connection in time.'])
    await under.stop()
  }
})

t.test('the defaults', async t => {
  t.same(defaultSettings.timeouts, { connectMs: 10_000, firstEventMs: 120_000, betweenEventsMs: 120_000, totalMs: 600_000 })
})

t.test('the time of the request ends: an attempt that had most of it and no answer counts as a timeout', async t => {
  for (const [hadMs, outcome] of [
    [15, 'timeout'],
    [14, 'left'],
  ] as const) {
    const at = { ms: 1_000_000 }
    const vendor = scripted('acme', async function* ({ signal }) {
      at.ms += hadMs
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    const under = await gateway({
      plugins: [vendor],
      settings: { ...silent, runTimeoutMs: 30, timeouts: long },
      clock: { now: () => at.ms, elapsed: () => at.ms },
    })
    const { status, error, requestId } = await ask(under, { model: 'acme/m' })
    t.same([status, error.message], [504, 'The request took longer than 0.03 s.'])
    t.match((await under.record(requestId)).attempts, [{ provider: 'acme', outcome }])
    await under.stop()
  }
})

t.test('how far a request came that timed out', async t => {
  const { promise: hung, resolve: hang } = Promise.withResolvers<void>()
  const server = createServer(socket => {
    socket
      .on('error', () => {})
      .once('data', () => {
        if (isReplying) socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
        hang()
      })
  })
  let isReplying = false
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const acme = openaiChat({ id: 'acme', host: 'compatible', baseUrl, apiKey: 'sk-demo', timeouts: { firstEventMs: 200 } })
  const globex = scripted('globex', async function* () {
    yield* hello
  })
  const models = ['a', 'b', 'c'].map(model => ({ model, endpoints: [{ provider: model === 'c' ? 'globex' : 'acme' }] }))
  const under = await gateway({ plugins: [acme, globex, listing(...models)], settings: silent })
  t.teardown(under.stop)
  for (const [replying, tried] of [
    [false, ['a', 'c']],
    [true, ['a', 'b', 'c']],
  ] as const) {
    isReplying = replying
    const { requestId } = await ask(under, { model: 'a', stream: true, routing: { model: { fallbacks: ['b', 'c'] } } })
    await hung
    const { attempts } = await under.record(requestId)
    t.same(
      attempts.map(({ model }) => model),
      tried,
      replying ? 'a model that is slow' : 'a provider that is silent',
    )
  }
})
