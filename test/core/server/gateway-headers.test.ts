import t from 'tap'
import { gatewayHeaders } from '../../../core/kit.ts'

t.test('headers are one line of printable ASCII, and not too long', async t => {
  t.same(gatewayHeaders({}), {})
  t.same(gatewayHeaders({ provider: '日本\u0001', attempts: 2, warnings: [] }), { 'x-gateway-provider': '???', 'x-gateway-attempts': '2' })
  t.same(gatewayHeaders({ costUsd: 0.25 }), { 'x-gateway-cost-usd': '0.25' })
  t.same(gatewayHeaders({ costUsd: null }), {}, 'an unknown cost has no header')
  const warnings = [
    { param: 'top_p', message: 'dropped\r\nx-evil: 1' },
    { param: 'long', message: 'x'.repeat(3_000) },
  ]
  const value = gatewayHeaders({ warnings })['x-gateway-warnings']!
  t.match(value, /^top_p: dropped\?\?x-evil: 1; long: x+\.\.\.$/)
  t.equal(value.length, 2_000)
})

t.test('no name within a warning passes for another warning', async t => {
  const warnings = [
    { param: 'routing', message: 'not asked after 8 attempts: acme/a; zdr: off, acme/b' },
    { param: 'top_p', message: 'dropped' },
  ]
  const value = gatewayHeaders({ warnings })['x-gateway-warnings']!
  t.equal(value, 'routing: not asked after 8 attempts: acme/a, zdr: off, acme/b; top_p: dropped')
})
