import { isObject, parseJson } from '../../foundation/json.ts'
import type { TestResult } from './conformance-run.ts'

/** The results of a plugin, as a file has them. It holds nothing that differs from one run to the next, such as times. */
export interface ConformanceReport {
  /** The version of this format. */
  readonly format: 1
  /** Its name. */
  readonly plugin: string
  /** The package of the plugin. Null without a `package.json`. */
  readonly package: string | null
  /** Of the package. Null without one. */
  readonly version: string | null
  /** The commit of the plugin, with `+changes` if files differ from it. Null outside of a repository. */
  readonly commit: string | null
  /** The version of this package. */
  readonly turnpike: string
  /** The module with the subject, from the folder of the file. Null if there is none. */
  readonly module: string | null
  /** The number of tests, of all suites. */
  readonly passed: number
  /** The number of tests, of all suites. */
  readonly failed: number
  /** Those of every contract that the plugin implements, run or not. */
  readonly suites: readonly SuiteReport[]
}

/** The results of one suite on one contract of the plugin. */
export interface SuiteReport {
  /** As it is imported, such as `KeyStore`; `Plugin` for `pluginSuite`. */
  readonly contract: string
  /** The version of the contract. */
  readonly version: number
  /** The function in this module, such as `keyStoreSuite`. */
  readonly suite: string
  /** Why it did not run. Null if it did. */
  readonly notRun: string | null
  /** In the order in which they ran. Empty if it did not run. */
  readonly tests: readonly TestResult[]
}

/** True if all tests passed, and there were some. */
export function isConformant({ passed, failed }: Pick<ConformanceReport, 'passed' | 'failed'>): boolean {
  return failed === 0 && passed > 0
}

/** The differences between a report and another run of the same suites, one sentence each. */
export function differencesOf(stated: ConformanceReport, found: ConformanceReport): readonly string[] {
  const differences: string[] = []
  for (const member of ['plugin', 'package', 'version', 'turnpike', 'commit'] as const) {
    const [was, is] = [stated[member], found[member]]
    // A package that was installed is in no repository.
    if (was !== is && !(member === 'commit' && is === null)) differences.push(`${member}: the file has ${was}, and this is ${is}`)
  }
  const [was, is] = [resultsOf(stated), resultsOf(found)]
  for (const [test, result] of was) {
    const now = is.get(test)
    if (now === undefined) differences.push(`${test}: ${result} in the file, and did not run now`)
    else if (now !== result) differences.push(`${test}: ${result} in the file, and ${now} now`)
  }
  for (const [test, result] of is) if (!was.has(test)) differences.push(`${test}: not in the file, and ${result} now`)
  return differences
}

function resultsOf({ suites }: ConformanceReport): ReadonlyMap<string, string> {
  return new Map(
    suites.flatMap(({ contract, suite, notRun, tests }): readonly (readonly [string, string])[] => [
      ...(notRun === null ? [] : [[`${contract} (${suite})`, 'not run'] as const]),
      ...tests.map(({ name, result }) => [`${contract} (${suite}): ${name}`, result] as const),
    ]),
  )
}

/** Reads the text of a report. Undefined if it is none. */
export function readReport(text: string): ConformanceReport | undefined {
  const report = parseJson(text)
  if (!isObject(report) || report['format'] !== 1 || !Array.isArray(report['suites'])) return undefined
  return report as unknown as ConformanceReport
}
