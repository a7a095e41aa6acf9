import t from 'tap'
import { ProviderFailure } from '../../../core/index.ts'
import { gateway, hello } from '../../kit/gateway.ts'
import { ask, listing, witness } from '../../kit/stage.ts'

t.test('endpoints without streamed answers are compared by whole ones, and the caller is told', async t => {
  let isDown = false
  const answer = (): typeof hello => {
    if (isDown) throw new ProviderFailure({ kind: 'protocol', message: 'down for repair' })
    return hello
  }
  const [acme, globex] = [witness('acme', answer), witness('globex', answer)]
  const entry = { model: 'm', endpoints: [{ provider: 'acme' }, { provider: 'globex' }] }
  const under = await gateway({ plugins: [acme.plugin, globex.plugin, listing(entry)], settings: { logLevel: 'silent' } })
  t.teardown(under.stop)
  const sorted = (sort: string) => ask(under, { model: 'm', routing: { provider: { sort } } })
  t.equal((await sorted('latency')).headers.get('x-gateway-warnings'), null, 'without any answers there is nothing to tell')
  await ask(under, { model: 'globex/m', stream: true })
  for (const [sort, meaning] of [
    ['latency', 'latency is the time of whole answers'],
    ['p95_latency', 'p95_latency is the time of whole answers'],
    ['throughput', 'throughput is that of whole answers'],
  ] as const) {
    const { headers, requestId } = await sorted(sort)
    const warning = `${meaning} where none was streamed: acme/m`
    t.equal(headers.get('x-gateway-warnings'), `routing: ${warning}`)
    const { routing } = await under.record(requestId)
    t.same(routing!.warnings, [warning])
    t.ok(routing!.candidates.every(({ value }) => value !== null))
  }
  t.equal((await sorted('e2e_latency')).headers.get('x-gateway-warnings'), null)
  isDown = true
  t.match((await sorted('latency')).headers.get('x-gateway-warnings'), /^routing: latency is /, 'a failure tells it, too')
})
