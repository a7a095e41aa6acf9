import t from 'tap'
import zdr from '../../../plugins/guardrails/zdr/index.ts'
import { ask, listing, witness } from '../../core/stage.ts'
import { gateway, hello } from '../../gateway.ts'
import { certifiedSuite } from './certified.ts'

certifiedSuite({
  field: 'zdr',
  guardrail: zdr({}),
  certificate: { policy_url: 'https://example.com/zdr', excludes: ['web_search'] },
  rule: /^Zero data retention is on for this API key/,
})

t.test('no policy covers a prompt that the vendor keeps for 24 hours', async t => {
  const acme = witness('acme', () => hello)
  const endpoints = [{ provider: 'acme', upstreamModel: 'm', zdr: { policy_url: 'https://example.com/zdr' } }]
  const under = await gateway({
    plugins: [zdr({}), acme.plugin, listing({ model: 'm', endpoints })],
    key: { policy: { zdr: { value: true } } },
  })
  t.teardown(under.stop)
  const { status, error } = await ask(under, { model: 'm', prompt_cache_retention: '24h' })
  t.equal(status, 422)
  t.match(error.message, /does not cover extended_cache/)
  t.equal((await ask(under, { model: 'm', prompt_cache_retention: 'in_memory' })).status, 200)
  t.equal(acme.calls.length, 1)
})
