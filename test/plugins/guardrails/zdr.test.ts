import t from 'tap'
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
