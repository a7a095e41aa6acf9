import t from 'tap'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { definePlugin, LogSinks, SortStrategies } from '../../../core/index.ts'
import { contracts } from '../../../core/framework/contract-versions.ts'
import { pointSuites } from '../../../core/testing/conformance/point-suites.ts'
import { serviceSuites } from '../../../core/testing/conformance/service-suites.ts'
import {
  badgeOf,
  badgeSvg,
  conformance,
  conformanceReport,
  defineConformance,
  differencesOf,
  isConformant,
  type ConformanceReport,
} from '../../../core/testing/index.ts'
import { readReport } from '../../../core/testing/conformance/report.ts'
import uptimeSort from '../../../plugins/sorts/uptime/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'

/** A sort and a log sink. The sink fails if it is told to. */
const demo = definePlugin({
  name: 'demo-plugin',
  options: { type: 'object', additionalProperties: false, properties: { fails: { type: 'boolean', default: false } } },
  setup(gateway, { fails }) {
    gateway.add(SortStrategies, {
      name: 'demo',
      description: 'The first one first.',
      first: 'lowest',
      values: endpoints => endpoints.map(() => 1),
    })
    gateway.add(LogSinks, {
      name: 'demo',
      accepts: 'metadata',
      async write(batch) {
        if (fails && batch.length > 1) throw new Error('too many')
      },
    })
  },
})

t.test('every contract has a suite', async t => {
  t.same(
    contracts.map(({ name }) => name).filter(name => !(name in pointSuites) && !(name in serviceSuites)),
    [],
  )
})

t.test('the suites of what a plugin registers run, and no others', async t => {
  const report = await conformanceReport(demo({}))
  t.same(
    report.suites.map(({ contract, suite }) => [contract, suite]),
    [
      ['Plugin', 'pluginSuite'],
      ['SortStrategies', 'sortSuite'],
      ['LogSinks', 'logSinkSuite'],
    ],
  )
  t.equal(report.failed, 0)
  t.ok(report.passed > 10)
  t.ok(isConformant(report))
  t.same(await conformanceReport(demo({})), report, 'another run has the same results')
})

t.test('a mistake is a failed test, with its message', async t => {
  const report = await conformanceReport(demo({ fails: true }))
  t.notOk(isConformant(report))
  const failed = report.suites.flatMap(({ suite, tests }) =>
    tests.filter(({ result }) => result === 'failed').map(test => ({ suite, ...test })),
  )
  t.ok(failed.some(({ suite, message }) => suite === 'logSinkSuite' && message === 'too many'))
  t.ok(failed.every(({ suite }) => suite === 'logSinkSuite'))
  t.match(badgeOf(report), { color: 'red', message: /of \d+ failed/ })
})

t.test('a suite that lacks something says so, and leaves the badge yellow', async t => {
  const plugin = localSealer({ masterKey: 'ab'.repeat(32) })
  const without = await conformanceReport(plugin)
  t.match(without.suites.at(-1), { suite: 'sealerSuite', notRun: /inputs\.Sealer\.stranger/, tests: [] })
  t.match(badgeOf(without), { color: 'yellow', message: /passed, 1 suite not run/ })
  const whole = await conformanceReport(
    defineConformance({ plugin, inputs: { Sealer: { stranger: localSealer({ masterKey: 'cd'.repeat(32) }) } } }),
  )
  t.match(whole.suites.at(-1), { suite: 'sealerSuite', notRun: null })
  t.equal(whole.failed, 0)
  t.match(badgeOf(whole), { schemaVersion: 1, color: 'brightgreen', label: /^turnpike \d/ })
})

t.test('a report tells what differs from another run', async t => {
  const report = readReport(JSON.stringify(await conformanceReport(uptimeSort({}))))!
  t.same(differencesOf(report, report), [])
  const [suite, ...suites] = report.suites
  const [test, ...tests] = suite!.tests
  const changed: ConformanceReport = {
    ...report,
    turnpike: '99.0.0',
    suites: [{ ...suite!, tests: [{ ...test!, result: 'failed' }, ...tests.slice(1), { name: 'another', result: 'passed' }] }, ...suites],
  }
  t.same(differencesOf(changed, report), [
    `turnpike: the file has 99.0.0, and this is ${report.turnpike}`,
    `Plugin (pluginSuite): ${test!.name}: failed in the file, and passed now`,
    'Plugin (pluginSuite): another: passed in the file, and did not run now',
    `Plugin (pluginSuite): ${tests[0]!.name}: not in the file, and passed now`,
  ])
  t.equal(readReport('{}'), undefined)
  t.equal(readReport('no JSON'), undefined)
})

t.test('runs as the tests of a framework, and writes report and badge when they are over', async t => {
  const folder = t.testdir({})
  const [report, badge] = [join(folder, 'conformance.json'), join(folder, 'conformance.svg')]
  const names: string[] = []
  const running: Promise<void>[] = []
  // As a framework that runs tests at once.
  const test = (name: string, run: () => Promise<void>): void => {
    names.push(name)
    running.push(run())
  }
  await conformance(demo({}), { test, report, badge })
  await Promise.all(running)
  const { passed, failed } = JSON.parse(readFileSync(report, 'utf8')) as ConformanceReport
  t.same([passed, failed], [names.length, 0])
  t.match(readFileSync(badge, 'utf8'), /^<svg .*passed/s)
})

t.test('with tap', async t => await conformance(uptimeSort({}), t))

t.test('a badge shows text as text', async t => {
  t.match(badgeSvg({ schemaVersion: 1, label: '<a&b>', message: '"c"', color: 'red' }), /&lt;a&amp;b&gt;: &quot;c&quot;/)
})

t.test('refuses what is no plugin', async t => {
  for (const wrong of [undefined, 7, {}, []])
    await t.rejects(conformanceReport(wrong as never), { message: /^conformance expected a plugin/ })
})

t.test('inputs beside the test function are an error, because they would be ignored', async t => {
  const misplaced = { test: () => {}, inputs: {} }
  await t.rejects(conformance(demo({}), misplaced), { message: /^expected inputs with the plugin: conformance\(defineConformance/ })
})

t.test('an address with a password has to be masked', async t => {
  const shelf = (writeOnly: boolean) =>
    definePlugin({
      name: 'demo-shelf',
      options: { type: 'object', additionalProperties: false, properties: { url: { type: 'string', ...(writeOnly && { writeOnly }) } } },
      setup() {},
    })({ url: 'mysql://ada:sk-demo@db.example.com/shelf' })
  t.ok(isConformant(await conformanceReport(shelf(true))))
  const { failed, suites } = await conformanceReport(shelf(false))
  t.equal(failed, 1)
  t.match(JSON.stringify(suites), /"masks its secrets"[^}]*the option url of demo-shelf holds a secret/)
})
