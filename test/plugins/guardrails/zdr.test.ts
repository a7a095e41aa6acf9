import t from 'tap'
import hipaa from '../../../plugins/guardrails/hipaa/index.ts'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import { ask, listing, witness } from '../../kit/stage.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { certifiedSuite } from './certified.ts'

certifiedSuite({
  field: 'zdr',
  guardrail: zdr({}),
  certificate: { policy_url: 'https://example.com/zdr', excludes: ['web_search'] },
  rule: /^Zero data retention is on for this API key/,
})

t.test('no policy covers a prompt that the vendor keeps for more than an hour', async t => {
  const acme = witness('acme', () => hello)
  const endpoints = [{ provider: 'acme', upstreamModel: 'm', zdr: { policy_url: 'https://example.com/zdr' } }]
  const under = await gateway({
    plugins: [zdr({}), acme.plugin, listing({ model: 'm', endpoints })],
    key: { policy: { zdr: { value: true } } },
  })
  t.teardown(under.stop)
  const marked = (ttl: string): object => ({
    input: [{ role: 'user', content: [{ type: 'input_text', text: 'hi', prompt_cache_breakpoint: { mode: 'explicit', ttl } }] }],
  })
  const long = [
    { prompt_cache_retention: '24h' },
    ...['24h', '61m', '1d', 'always'].flatMap(ttl => [{ prompt_cache_options: { ttl } }, marked(ttl)]),
  ]
  for (const request of long)
    for (const stream of [false, true]) {
      const { status, error } = await ask(under, { model: 'm', ...request, stream })
      t.equal(status, 422, JSON.stringify(request))
      t.match(error.message, /does not cover extended_cache/)
    }
  t.equal(acme.calls.length, 0)
  const short = [
    { prompt_cache_retention: 'in_memory' },
    ...['30m', '1h', '60m', '300s'].flatMap(ttl => [{ prompt_cache_options: { ttl } }, marked(ttl)]),
  ]
  for (const request of short) t.equal((await ask(under, { model: 'm', ...request })).status, 200, JSON.stringify(request))
  t.equal(acme.calls.length, short.length)
})

t.test('with HIPAA mode, the refusal names the policy that excludes every endpoint', async t => {
  const declared = { zdr: { policy_url: 'https://example.com/zdr' } }
  const agreed = { hipaa: { baa_url: 'https://example.com/baa' } }
  const providers = ['certn', 'certz', 'certh'].map(id => witness(id, () => hello))
  const open = { provider: 'certn' }
  const limited = { provider: 'certz', capabilities: { tools: false }, ...declared }
  const under = await gateway({
    plugins: [
      zdr({}),
      hipaa({}),
      ...providers.map(({ plugin }) => plugin),
      listing({ model: 'm', endpoints: [open, limited] }, { model: 'n', endpoints: [open, limited, { provider: 'certh', ...agreed }] }),
    ],
    key: { policy: { zdr: { value: true }, hipaa: { value: true } } },
  })
  t.teardown(under.stop)
  const tools = { tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }] }
  for (const request of [{ model: 'm' }, { model: 'certn/m' }, { model: 'certz/m' }, { model: 'm', ...tools }])
    t.match((await ask(under, request)).error.message, /^HIPAA mode is on .* no provider of "m" has a business associate agreement/)
  const { error } = await ask(under, { model: 'certn/n' })
  t.match(error.message, /^Zero data retention .*"certz\/n" has, but another policy of this API key excludes it\. Choose another model/)
  t.equal(providers.flatMap(({ calls }) => calls).length, 0)
})
