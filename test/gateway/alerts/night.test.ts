import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { storyOf } from '../../../config/explain/story.ts'
import { storeServiceNames } from '../../../core/stores.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { canary, gateways } from './gateways.ts'

// Checks docs/alerts.md, docs/telemetry.md and docs/failures.md together: each fault raises one alert, is counted, and its record explains it.
t.test('a night with an outage and a budget that runs out', { timeout: 60_000 }, async t => {
  const file = join(t.testdir({}), 'turnpike.db')
  const stores = [sql({ file, services: [...storeServiceNames] }), prometheus({})]
  const { all, delivered, acme, stop } = await gateways(1, () => stores)
  t.teardown(stop)
  const under = all[0]!
  const titles = (): readonly string[] => delivered.filter(({ alert }) => alert.kind !== 'errors').map(({ alert }) => alert.title)
  const until = async (isSo: () => boolean | Promise<boolean>): Promise<void> => {
    for (let tries = 0; !(await isSo()) && tries < 400; tries++) await setTimeout(50)
  }
  const { id, key } = (await under.call('POST', '/keys', { name: 'demo', spend_cap_usd: 0.02 })).body

  t.same([await under.ask(key), await under.ask(key), await under.ask(key)], [200, 200, 402])
  acme.isDown = true
  await Promise.all(Array.from({ length: 12 }, (_, index) => under.ask(under.apiKey, `m${index}`)))
  await until(() => titles().length >= 2)
  t.same(titles().toSorted(), [`API key "demo" (${id}) has used 100% of its spend cap`, 'Provider acme is down'])

  const failed = async (more: string): Promise<any[]> => (await under.call('GET', `/records?failed=true&limit=100${more}`)).body.data
  await until(async () => (await failed('')).length === 13)
  const slow = await failed('&sort=elapsed_ms')
  t.equal(slow.length, 13)
  t.same(
    slow.map(record => record.elapsed_ms),
    slow.map(record => record.elapsed_ms).toSorted((a, b) => b - a),
  )
  const told = async (reason: string): Promise<string> => {
    const [first] = await failed(`&reason=${reason}`)
    return storyOf((await under.call('GET', `/records/${first.id}`)).body, 'demo', 100).join('\n')
  }
  t.match(await told('vendor'), /failed with 424 provider_error[\s\S]*acme\/m\d+ +\|.*network[\s\S]*Failed by +the vendor/)
  t.match(await told('cap'), new RegExp(`failed with 402 insufficient_credits[\\s\\S]*Failed by +the spend cap of the key ${id}`))

  const { app, localToken } = under.gateway.admin!
  const scrape = await (await app.h3.request('/metrics', { headers: { authorization: `Bearer ${localToken}` } })).text()
  t.match(scrape, /turnpike_circuit_state\{provider="acme",model="\*"\} 2\n/)
  t.match(scrape, /turnpike_errors_total\{surface="responses",reason="cap",code="insufficient_credits"\} 1\n/)
  t.match(scrape, /turnpike_errors_total\{surface="responses",reason="vendor",code="provider_error"\} 12\n/)
  t.notMatch(JSON.stringify([delivered, slow, scrape]), new RegExp(`${canary}|${key}|tp_`))
})
