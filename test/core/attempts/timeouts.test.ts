import { createServer, type AddressInfo } from 'node:net'
import t from 'tap'
import { defaultSettings } from '../../../core/framework/settings.ts'
import type { GenerationEvent, Timeouts } from '../../../core/index.ts'
import openaiChat from '../../../plugins/providers/openai-chat/index.ts'
import { gateway, scripted } from '../../kit/gateway.ts'
import { ask, text } from '../../kit/stage.ts'

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
