import t from 'tap'
import { fakeUpstream } from '../../../core/testing/index.ts'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import { ask, listing, witness } from '../../kit/stage.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { certifiedSuite } from './certified.ts'

certifiedSuite({
  field: 'hipaa',
  guardrail: hipaa({}),
  certificate: { baa_url: 'https://example.com/baa', excludes: ['web_search'] },
  rule: /^HIPAA mode is on for this API key/,
})

t.test('images by URL need the option `mediaUrls`', async t => {
  const image = (image_url: string): object => ({ model: 'm', input: [{ role: 'user', content: [{ type: 'input_image', image_url }] }] })
  const inline = image('data:image/png;base64,iVBORw0KGgo=')
  const byUrl = image('https://media.example.com/a.png')
  for (const mediaUrls of [false, true]) {
    const acme = witness('acme', () => hello)
    const endpoints = [{ provider: 'acme', upstreamModel: 'm', hipaa: { baa_url: 'https://example.com/baa' } }]
    const under = await gateway({
      plugins: [hipaa({ mediaUrls }), acme.plugin, listing({ model: 'm', endpoints })],
      key: { policy: { hipaa: { value: true } } },
    })
    t.teardown(under.stop)
    t.equal((await ask(under, inline)).status, 200)
    const reply = await ask(under, byUrl)
    t.equal(reply.status, mediaUrls ? 200 : 422)
    if (!mediaUrls) t.match(reply.error.message, /does not cover media_urls/)
    t.equal(acme.calls.length, mediaUrls ? 2 : 1)
  }
})

t.test('nothing is fetched from outside, wherever a request names it', async t => {
  const media = await fakeUpstream(() => ({ headers: { 'content-type': 'image/png' }, body: Buffer.from('iVBORw0KGgo=', 'base64') }))
  t.teardown(() => media.close())
  const vendor = await fakeUpstream(() => ({ status: 500 }))
  t.teardown(() => vendor.close())
  const endpoints = ['messages', 'acme'].map(provider => ({ provider, upstreamModel: 'm', hipaa: { baa_url: 'https://example.com/baa' } }))
  const acme = witness('acme', () => hello, { capabilities: { builtInTools: true } })
  const messages = anthropic({ id: 'messages', apiKey: 'demo', baseUrl: vendor.url })
  const under = await gateway({
    plugins: [hipaa({}), messages, acme.plugin, listing({ model: 'm', endpoints })],
    key: { policy: { hipaa: { value: true } } },
    settings: { mediaHosts: ['127.0.0.1'] },
  })
  t.teardown(under.stop)
  const image = { type: 'input_image', image_url: `${media.url}/a.png` }
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const inputs: Readonly<Record<string, readonly object[]>> = {
    'a message': [{ role: 'user', content: [image] }],
    'a file': [{ role: 'user', content: [{ type: 'input_file', file_url: `${media.url}/a.txt` }] }],
    'the output of a call': [call, { type: 'function_call_output', call_id: 'c', output: [image] }],
    'a screenshot': [
      { type: 'computer_call_output', call_id: 'c', output: { type: 'computer_screenshot', image_url: `${media.url}/a.png` } },
    ],
  }
  for (const [name, input] of Object.entries(inputs))
    for (const stream of [false, true]) {
      const { status, error } = await ask(under, { model: 'm', input, stream })
      t.equal(status, 422, name)
      t.match(error.message, /does not cover media_urls/, name)
    }
  t.equal(media.requests.length + vendor.requests.length + acme.calls.length, 0)
})
