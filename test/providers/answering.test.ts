import t from 'tap'
import { answeringSuite, fakeUpstream, providerCall, stall, type ReceivedRequest } from '../../core/testing/index.ts'
import { UndiciClient } from '../../core/upstream/http-client.ts'
import sandbox from '../../plugins/providers/sandbox/index.ts'
import { FakeEntra } from '../fake-entra.ts'
import { FakeGoogle } from '../fake-google.ts'
import { providerOf } from '../provider-of.ts'
import { everyProvider } from './every-provider.ts'

const http = new UndiciClient()
const google = await FakeGoogle.start()
const entra = await FakeEntra.start()
const providers = everyProvider(google, entra)
let isStalled = false
const upstream = await fakeUpstream(request => {
  const { answer } = providers.find(({ name }) => name === request.url.split('/')[1])!
  if (!isStream(request)) return { headers: { 'content-type': 'application/json' }, body: isStalled ? [stall] : answer.whole }
  const headers = { 'content-type': answer.streamType }
  return { headers, body: isStalled ? [Buffer.from(answer.stream).subarray(0, -1), stall] : answer.stream }
})
t.teardown(() => Promise.all([upstream.close(), google.close(), entra.close(), http.close()]))

/** Some say it in the address. */
function isStream({ url, body }: ReceivedRequest): boolean {
  return /stream/i.test(url) || (body as { readonly stream?: boolean }).stream === true
}

async function drain(events: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of events);
}

const input = [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }] as const

for (const { name, plugin, model } of providers) {
  t.test(name, async t => {
    const provider = await providerOf(plugin({ id: name, baseUrl: `${upstream.url}/${name}` }), http)
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
  const provider = await providerOf(sandbox({}), http)
  answeringSuite(t, { provider, requests: [{ model: 'echo', input }], endpoint: { upstreamModel: 'echo' } })
})
