import t from 'tap'
import { createContainer } from '../../../../core/framework/container.ts'
import { Clock, systemClock } from '../../../../core/foundation/clock.ts'
import { extensionPoints } from '../../../../core/framework/extension-points.ts'
import { Providers, type Provider, type PluginUse } from '../../../../core/index.ts'
import { createLogger } from '../../../../core/foundation/logger.ts'
import { Masks } from '../../../../core/foundation/masks.ts'
import { PluginHost } from '../../../../core/framework/plugin-host.ts'
import { answeringSuite, fakeUpstream, providerCall, stall, type ReceivedRequest } from '../../../../core/testing/index.ts'
import { UndiciClient } from '../../../../core/upstream/http-client.ts'
import sandbox from '../../../../plugins/providers/sandbox/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { everyProvider } from './every-provider.ts'

const http = new UndiciClient()
const google = await FakeGoogle.start()
const providers = everyProvider(google)
let isStalled = false
const upstream = await fakeUpstream(request => {
  const { answer } = providers.find(({ name }) => name === request.url.split('/')[1])!
  if (!isStream(request)) return { headers: { 'content-type': 'application/json' }, body: isStalled ? [stall] : answer.whole }
  const headers = { 'content-type': answer.streamType }
  return { headers, body: isStalled ? [Buffer.from(answer.stream).subarray(0, -1), stall] : answer.stream }
})
t.teardown(() => Promise.all([upstream.close(), google.close(), http.close()]))

/** Some say it in the address. */
function isStream({ url, body }: ReceivedRequest): boolean {
  return /stream/i.test(url) || (body as { readonly stream?: boolean }).stream === true
}

async function providerOf(use: PluginUse): Promise<Provider> {
  const container = createContainer()
  for (const { token, create } of extensionPoints) container.value(token, create())
  container.value(Clock, systemClock)
  const masks = new Masks()
  await new PluginHost(container, createLogger('silent', masks), http, masks).setUp([use])
  return container.get(Providers).values()[0]!
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] as const

for (const { name, plugin, model } of providers) {
  t.test(name, async t => {
    const provider = await providerOf(plugin({ id: name, baseUrl: `${upstream.url}/${name}` }))
    answeringSuite(t, { provider, requests: [{ model, input }] })

    await t.test('reads no further when it is called off', async t => {
      isStalled = true
      for (const stream of [true, false]) {
        const controller = new AbortController()
        const call = providerCall({ model, input, stream }, { signal: controller.signal, credentialId: provider.credentials?.[0]?.id })
        const asked = upstream.requests.length
        const reading = drain(provider.generate(call))
        while (upstream.requests.length === asked) await new Promise(resolve => setImmediate(resolve))
        controller.abort(new Error('called off'))
        await t.rejects(reading, { message: 'called off' })
        t.equal(await upstream.requests.at(-1)!.closed, 'early', 'the connection is given up')
      }
      isStalled = false
    })
  })
}

t.test('sandbox', async t => {
  const provider = await providerOf(sandbox({}))
  answeringSuite(t, { provider, requests: [{ model: 'echo', input }], endpoint: { upstreamModel: 'echo' } })
})
