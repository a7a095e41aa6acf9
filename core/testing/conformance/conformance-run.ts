import { contracts } from '../../framework/contract-versions.ts'
import { contractOf } from '../../foundation/token.ts'
import { apiVersion } from '../../framework/plugin.ts'
import { companionsOf } from '../companions.ts'
import { isOf, PluginStage } from '../plugin-stage.ts'
import { packageFacts, turnpikeVersion } from './package-facts.ts'
import { pluginOptions, pointSuites } from './point-suites.ts'
import type { ConformanceReport } from './report.ts'
import { serviceSuites, type Applied, type NotApplied } from './service-suites.ts'
import { pluginSuite } from '../suites/plugin-suite.ts'
import { madeBy, type ConformanceSubject } from './subject.ts'

/** One test of a suite. */
export interface TestResult {
  /** Without the name of its suite. */
  readonly name: string
  /** `failed` has a `message`. */
  readonly result: 'passed' | 'failed'
  /** Why it failed. */
  readonly message?: string
}

interface PlannedTest {
  readonly name: string
  readonly run: () => Promise<void>
}

interface PlannedSuite {
  readonly contract: string
  readonly version: number
  readonly suite: string
  readonly notRun: string | null
  readonly tests: readonly PlannedTest[]
}

const longestMessage = 2_000
/** These call the providers of the stage itself. */
const providerSuites: ReadonlySet<string> = new Set(['answeringSuite', 'retrievalSuite'])

/** The suites of all contracts that a plugin implements, and what came of their tests. */
export class ConformanceRun {
  readonly plugin: string
  readonly suites: readonly PlannedSuite[]
  readonly #subject: ConformanceSubject
  readonly #stage: PluginStage
  readonly #results = new Map<PlannedTest, TestResult>()

  /** Sets the plugin up to see what it adds and provides. */
  static async open(subject: ConformanceSubject): Promise<ConformanceRun> {
    const uses = [madeBy(subject), ...(subject.plugins?.() ?? [])]
    const stage = await PluginStage.open([...(await companionsOf(uses)), ...uses])
    const run = new ConformanceRun(subject, stage)
    // A test framework may leave tests out, so nothing stays open that need not.
    if (!run.suites.some(({ suite }) => providerSuites.has(suite))) await stage.close()
    return run
  }

  private constructor(subject: ConformanceSubject, stage: PluginStage) {
    this.#subject = subject
    this.#stage = stage
    this.plugin = madeBy(subject).plugin.name
    const looked = { subject, stage, name: this.plugin }
    this.suites = [
      planned('Plugin', apiVersion, { suite: pluginSuite.name, run: t => pluginSuite(t, pluginOptions(subject)) }),
      ...implementedBy(stage, this.plugin).flatMap(({ name, version }) =>
        ((pointSuites[name] ?? serviceSuites[name])?.(looked) ?? []).map(found => planned(name, version, found)),
      ),
    ]
  }

  /** Every test, named after its contract. */
  get tests(): readonly PlannedTest[] {
    return this.suites.flatMap(({ contract, suite, tests }) =>
      tests.map(test => ({ name: `${contract}, ${suite}: ${test.name}`, run: () => this.#watch(test) })),
    )
  }

  async #watch(test: PlannedTest): Promise<void> {
    try {
      await test.run()
      this.#results.set(test, { name: test.name, result: 'passed' })
    } catch (error) {
      const message = (error instanceof Error ? error.message : String(error)).slice(0, longestMessage)
      this.#results.set(test, { name: test.name, result: 'failed', message })
      throw error
    }
  }

  /** `module`: of the subject, as the report should name it. */
  report(module: string | null = null): ConformanceReport {
    const suites = this.suites.map(({ tests, ...suite }) => ({
      ...suite,
      tests: tests.map(test => this.#results.get(test) ?? { name: test.name, result: 'failed' as const, message: 'It did not run.' }),
    }))
    const results = suites.flatMap(({ tests }) => tests.map(({ result }) => result))
    const failed = results.filter(result => result === 'failed').length
    return {
      format: 1,
      plugin: this.plugin,
      ...packageFacts(this.#subject.folder ?? process.cwd()),
      turnpike: turnpikeVersion(),
      module,
      passed: results.length - failed,
      failed,
      suites,
    }
  }

  async close(): Promise<void> {
    await this.#stage.close()
  }
}

/** The contracts that a plugin implements, in the order of the table of contracts. */
function implementedBy(stage: PluginStage, plugin: string): typeof contracts {
  const added = stage.contributions.filter(each => isOf(plugin, each.plugin)).map(({ contract }) => contract)
  const provided = stage.services(plugin).map(service => contractOf(service)?.name)
  const names = new Set<string | undefined>([...added, ...provided])
  return contracts.filter(({ name }) => names.has(name))
}

function planned(contract: string, version: number, found: Applied | NotApplied): PlannedSuite {
  const { suite } = found
  if ('reason' in found) return { contract, version, suite, notRun: found.reason, tests: [] }
  const tests: PlannedTest[] = []
  found.run({ test: (name, run) => tests.push({ name, run }) })
  return { contract, version, suite, notRun: null, tests }
}
