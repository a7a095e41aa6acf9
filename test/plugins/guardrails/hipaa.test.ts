import t from 'tap'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import { ask, listing, witness } from '../../core/stage.ts'
import { gateway, hello } from '../../gateway.ts'
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
