import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import prometheus from '../../../plugins/telemetry/prometheus/index.ts'
import { ask, guarding } from '../../kit/stage.ts'
import { gateway, hello, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { promtool, withoutProgram } from './promtool.ts'
import { namesIn, scrape } from '../../kit/scraped.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const rules = join(root, 'deploy/prometheus/rules.yml')
const options = { skip: withoutProgram('promtool') }

/** A gateway that has every metric: one of several workers, with all labels. */
async function withEveryMetric(): Promise<GatewayUnderTest> {
  const siblings = { worker: 1, answer: () => {}, ask: () => Promise.resolve({ answers: [], silent: 0 }) }
  const under = await gateway({
    siblings,
    plugins: [
      saying('acme', hello, { maxConcurrent: 5 }),
      guarding({ input: () => ({ pass: true }) }),
      prometheus({ open: true, labels: ['org', 'team', 'key'] }),
    ],
  })
  await ask(under, { model: 'acme/small' })
  await ask(under, { model: 'acme/small' }, { authorization: 'Bearer nothing' })
  await under.recorded(2)
  return under
}

t.test('promtool accepts the rules, and they fire when they should', options, t => {
  for (const args of [
    ['check', 'rules', rules],
    ['test', 'rules', join(root, 'deploy/prometheus/rules-test.yml')],
  ]) {
    const { isOk, output } = promtool(args)
    t.ok(isOk, output)
  }
  t.end()
})

t.test('promtool accepts the metrics', options, async t => {
  const under = await withEveryMetric()
  t.teardown(under.stop)
  const { text } = await scrape(under)
  const { isOk, output } = promtool(['check', 'metrics'], text)
  t.ok(isOk, output)
})

/** The metrics in an expression of PromQL: names that are neither functions, labels nor words of the language. */
function metricsIn(expression: string): readonly string[] {
  const plain = expression.replaceAll(/"(?:[^"\\]|\\.)*"|'[^']*'/g, '""').replaceAll(/\{[^}]*\}|\[[^\]]*\]/g, ' ')
  const labelled = plain.replaceAll(/\b(?:by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)/g, ' ')
  return Array.from(labelled.matchAll(/\b[a-z]\w*_\w+\b(?!\s*\()|\bup\b/g), ([name]) => name)
}

t.test('every metric that dashboards and rules use is in a scrape', async t => {
  const under = await withEveryMetric()
  t.teardown(under.stop)
  const known = namesIn(await scrape(under))
  const isKnown = (name: string): boolean => name === 'up' || known.has(name) || known.has(name.replace(/_(bucket|sum|count)$/, ''))

  const files = globSync('deploy/{grafana/*.json,prometheus/rules.yml}', { cwd: root })
  t.equal(files.length, 3)
  const used = new Set<string>()
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const expressions = file.endsWith('.json')
      ? Array.from(text.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*")/g), ([, json]) => JSON.parse(json!) as string)
      : Array.from(text.matchAll(/^ {8}expr: (?:\|\n((?: {10}.*\n)+)|(.*))/gm), ([, block, line]) => block ?? line!)
    t.ok(expressions.length > 10, `${file}: ${expressions.length} expressions`)
    for (const name of expressions.map(text => text.replace(/^label_values\((\w+).*/, '$1')).flatMap(metricsIn)) {
      used.add(name)
      t.ok(isKnown(name), `${file}: ${name}`)
    }
  }
  const described = readFileSync(join(root, 'docs/telemetry.md'), 'utf8')
  for (const name of known) t.ok(described.includes(`\`${name}\``), `docs/telemetry.md describes ${name}`)
  t.ok(used.size > 30, `${used.size} metrics are used`)
})

t.test('this test sees the metrics of an expression', t => {
  t.same(metricsIn('sum by (job, le) (rate(a_total{b_c="d_e", f=~"g"}[5m])) / on (h_i) j_k > 0.5 and up{l="m"} == 0'), [
    'a_total',
    'j_k',
    'up',
  ])
  t.end()
})
