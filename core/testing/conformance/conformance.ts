import { writeFile } from 'node:fs/promises'
import type { PluginUse } from '../../framework/plugin.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { badgeOf, badgeSvg } from './badge.ts'
import { ConformanceRun } from './conformance-run.ts'
import type { ConformanceReport } from './report.ts'
import { subjectOf, type ConformanceSubject } from './subject.ts'

/** For `conformance`. `test` replaces that of the running test framework. */
export interface ConformanceOptions extends Partial<SuiteContext> {
  /** The file to write the results to, as JSON. Default: none. */
  readonly report?: string
  /** The file for the badge: a picture if it ends with `.svg`, otherwise JSON for shields.io. Default: none. */
  readonly badge?: string
}

/** Long enough for the slowest test on a slow machine. Vitest alone has a shorter limit. */
const timeoutMs = 60_000

/**
 * Runs the suites of all contracts that a plugin implements, as tests. `options.test` is that of the test framework, such as `{ test }` of
 * node:test or Vitest, or tap's `t`. Without it: Vitest's if Vitest runs this, otherwise node:test's, which tap reads.
 */
export async function conformance(subject: ConformanceSubject | PluginUse, options: ConformanceOptions = {}): Promise<void> {
  if ('inputs' in options || 'plugin' in options)
    throw new TypeError('expected inputs with the plugin: conformance(defineConformance({ plugin, inputs }), { test })')
  const runner = options.test ? (options as SuiteContext) : await detectedRunner()
  const run = await ConformanceRun.open(subjectOf(subject))
  const { tests, plugin, suites } = run
  let waiting = tests.length
  for (const { name, run: test } of tests)
    add(runner, name, async () => {
      try {
        await test()
      } finally {
        if (--waiting === 0) await end(run, options)
      }
    })
  for (const { contract, suite, notRun } of suites)
    if (notRun !== null) process.stderr.write(`${plugin}: ${suite} of ${contract} did not run: ${notRun}.\n`)
}

async function end(run: ConformanceRun, { report, badge }: ConformanceOptions): Promise<void> {
  await run.close()
  const found = run.report()
  if (report !== undefined) await writeReport(report, found)
  if (badge !== undefined) await writeBadge(badge, found)
}

function add(runner: SuiteContext, name: string, run: () => Promise<void>): void {
  // Vitest takes a limit. The others would take a third argument for something else.
  if (isVitest()) (runner as { test(name: string, run: () => Promise<void>, timeout: number): unknown }).test(name, run, timeoutMs)
  else void runner.test(name, run)
}

function isVitest(): boolean {
  return process.env['VITEST'] !== undefined
}

async function detectedRunner(): Promise<SuiteContext> {
  return isVitest() ? await runnerIn('vitest') : await runnerIn('node:test')
}

/** The package of plugin authors, not one of ours. */
async function runnerIn(name: string): Promise<SuiteContext> {
  const { test } = (await import(name)) as { readonly test: SuiteContext['test'] }
  return { test }
}

/** Runs all suites without a test framework. `told` gets the name of each test with its error, as they end. */
export async function conformanceReport(
  subject: ConformanceSubject | PluginUse,
  { module = null, told }: { readonly module?: string | null; told?(name: string, error: unknown): void } = {},
): Promise<ConformanceReport> {
  const run = await ConformanceRun.open(subjectOf(subject))
  try {
    for (const { name, run: test } of run.tests)
      try {
        await test()
        told?.(name, undefined)
      } catch (error) {
        told?.(name, error)
      }
    return run.report(module)
  } finally {
    await run.close()
  }
}

export async function writeReport(file: string, report: ConformanceReport): Promise<void> {
  await writeFile(file, `${JSON.stringify(report, undefined, 2)}\n`)
}

export async function writeBadge(file: string, report: ConformanceReport): Promise<void> {
  const badge = badgeOf(report)
  await writeFile(file, file.endsWith('.svg') ? badgeSvg(badge) : `${JSON.stringify(badge)}\n`)
}
