import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { getPort } from 'get-port-please'
import t from 'tap'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { ask } from '../../kit/stage.ts'
import { gateway } from '../../kit/gateway.ts'
import { withoutProgram } from './promtool.ts'

const dashboards = ['requests', 'gateway'].map(name => fileURLToPath(new URL(`../../../deploy/grafana/${name}.json`, import.meta.url)))
const rules = fileURLToPath(new URL('../../../deploy/prometheus/rules.yml', import.meta.url))
const token = 'demo-token-for-metrics'

t.test('a Prometheus reads the metrics with a token, and answers queries', { skip: withoutProgram('prometheus') }, async t => {
  const under = await gateway({ plugins: [prometheus({ token, labels: ['key'] })] })
  const admin = createServer(under.gateway.admin!.listener())
  await new Promise<void>(resolve => admin.listen(0, '127.0.0.1', resolve))
  for (let asked = 0; asked < 3; asked++) await ask(under, { model: 'sandbox/echo', stream: asked > 0 })
  await ask(under, { model: 'sandbox/echo' }, { authorization: 'Bearer nothing' })
  await under.recorded(4)

  const gatewayAt = `127.0.0.1:${(admin.address() as AddressInfo).port}`
  const port = await getPort({ host: '127.0.0.1', random: true })
  const folder = t.testdir({
    'prometheus.yml': `
global: { scrape_interval: 1s, evaluation_interval: 1s }
rule_files: ['${rules}']
scrape_configs:
  - job_name: turnpike
    authorization: { credentials: ${token} }
    static_configs: [{ targets: ['${gatewayAt}'] }]
  - job_name: turnpike-without-a-token
    static_configs: [{ targets: ['${gatewayAt}'] }]
`,
  })
  const server = spawn('prometheus', [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=127.0.0.1:${port}`,
  ])
  t.teardown(async () => {
    server.kill('SIGKILL')
    await once(server, 'close')
    admin.close()
    admin.closeAllConnections()
    await under.stop()
  })
  const asked = async (path: string): Promise<any> => {
    try {
      const reply = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`)
      return ((await reply.json()) as { readonly data: any }).data
    } catch {
      // It is about to start.
      return undefined
    }
  }
  const query = async (expression: string): Promise<readonly any[]> =>
    (await asked(`query?query=${encodeURIComponent(expression)}`))?.result ?? []

  while ((await query('turnpike_requests_total')).length === 0 || (await query('up')).length < 2) await delay(100)
  const valueOf = async (expression: string): Promise<number> => Number((await query(expression))[0]?.value[1])
  t.equal(await valueOf('up{job="turnpike"}'), 1)
  t.equal(await valueOf('up{job="turnpike-without-a-token"}'), 0)
  t.equal(await valueOf('sum(turnpike_requests_total{surface="responses"})'), 4)
  t.equal(await valueOf('sum(turnpike_requests_total{status="4xx"})'), 1)
  t.equal(await valueOf('turnpike_attempts_total{provider="sandbox",model="echo",outcome="ok"}'), 3)
  t.ok((await valueOf('histogram_quantile(0.5, sum by (le) (turnpike_request_duration_seconds_bucket))')) > 0)
  t.equal(await valueOf('count(turnpike_build_info)'), 1)
  const { groups } = await asked('rules')
  const all: readonly any[] = groups.flatMap((group: any) => group.rules)
  t.ok(all.length > 10)
  for (const { name, health, lastError } of all) t.not(health, 'err', `${name}: ${lastError}`)

  const expressions = dashboards.flatMap(file => {
    const { panels } = JSON.parse(readFileSync(file, 'utf8')) as { readonly panels: readonly { readonly targets?: readonly any[] }[] }
    return panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr as string))
  })
  t.ok(expressions.length > 50)
  for (const expression of expressions) {
    const filled = expression.replaceAll(/\$(job|instance)/g, '.*').replaceAll('$__rate_interval', '1m')
    const reply = await fetch(`http://127.0.0.1:${port}/api/v1/query?query=${encodeURIComponent(filled)}`)
    t.equal(reply.status, 200, `${expression}: ${await reply.text()}`)
  }
})
