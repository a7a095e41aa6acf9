import { existsSync, readFileSync } from 'node:fs'
import { dirname, relative, resolve, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { AssemblyError } from '../../core/foundation/errors.ts'
import { differencesOf, isConformant, readReport, type ConformanceReport } from '../../core/testing/conformance/report.ts'
import { subjectOf, type ConformanceSubject } from '../../core/testing/conformance/subject.ts'
import { command } from '../command.ts'
import { ConfigError, problemsOf } from '../errors.ts'
import { explain } from '../load-failure.ts'
import '../typescript-modules.ts'

interface Options {
  readonly report?: string
  readonly badge?: string
  readonly verify?: string
}

export default command('conformance', 'Run the suites of all contracts that a plugin implements.')
  .argument(
    '[module]',
    'The module whose default export is the plugin, or what defineConformance made. Default: conformance.ts, .mts, .js or .mjs.',
  )
  .option('--report <file>', 'Write the results to this file, as JSON.')
  .option('--badge <file>', 'Write a badge: a picture if the file ends with .svg, otherwise JSON for shields.io.')
  .option('--verify <file>', 'Run again what this report has, and compare. Fails if anything differs.')
  .action(runConformance)

async function runConformance(named: string | undefined, { report, badge, verify }: Options): Promise<void> {
  const stated = verify === undefined ? undefined : statedIn(verify)
  const file = moduleFile(named, verify, stated)
  const subject = { folder: dirname(file), ...(await subjectIn(file)) }
  const reportFolder = dirname(resolve(report ?? verify ?? file))
  const module = relative(reportFolder, file).replaceAll(sep, '/')
  // The suites are large, and `turnpike --help` loads this module, too.
  const { conformanceReport, writeBadge, writeReport } = await import('../../core/testing/conformance/conformance.ts')
  const found = await conformanceReport(subject, { module, told: tell }).catch((error: unknown) => {
    throw error instanceof AssemblyError || error instanceof AggregateError ? new ConfigError(file, problemsOf(error)) : error
  })
  console.log(summary(found))
  if (report !== undefined) await writeReport(report, found)
  if (badge !== undefined) await writeBadge(badge, found)
  if (stated) compare(stated, found, verify!)
  else if (!isConformant(found)) process.exitCode = 1
}

function moduleFile(named: string | undefined, verify: string | undefined, stated: ConformanceReport | undefined): string {
  if (named !== undefined) {
    if (existsSync(named)) return resolve(named)
    throw new ConfigError(undefined, [`There is no file ${named}. turnpike conformance takes the path of a module.`])
  }
  if (verify !== undefined && stated?.module) {
    const path = resolve(dirname(resolve(verify)), stated.module)
    if (existsSync(path)) return path
    throw new ConfigError(undefined, [
      `${verify} is about ${stated.module}, which is not there. Name its place: turnpike conformance path/to/module --verify ${verify}`,
    ])
  }
  const found = ['ts', 'mts', 'js', 'mjs'].map(ending => resolve(`conformance.${ending}`)).find(path => existsSync(path))
  if (found !== undefined) return found
  throw new ConfigError(undefined, [
    `There is no conformance.ts, .mts, .js or .mjs in ${process.cwd()}. Name the module of your plugin: turnpike conformance plugin.ts`,
  ])
}

function statedIn(file: string): ConformanceReport {
  if (!existsSync(file))
    throw new ConfigError(undefined, [`There is no file ${file}. Make one with: turnpike conformance --report ${file}`])
  const report = readReport(readFileSync(file, 'utf8'))
  if (report) return report
  throw new ConfigError(file, ['It is no report: expected JSON with "format": 1. Make one with: turnpike conformance --report file'])
}

async function subjectIn(file: string): Promise<ConformanceSubject> {
  try {
    const { default: exported } = (await import(pathToFileURL(file).href)) as { readonly default?: unknown }
    return subjectOf(await exported)
  } catch (error) {
    throw new ConfigError(file, [await explain(error, file)])
  }
}

function tell(name: string, error: unknown): void {
  if (error === undefined) return console.log(`passed  ${name}`)
  console.log(`FAILED  ${name}\n        ${(error instanceof Error ? error.message : String(error)).replaceAll('\n', '\n        ')}`)
}

function summary({ plugin, passed, failed, suites, turnpike }: ConformanceReport): string {
  const left = suites.filter(({ notRun }) => notRun !== null)
  const rows = left.map(({ contract, suite, notRun }) => `not run ${contract}, ${suite}: ${notRun}`)
  const ran = suites.length - left.length
  const total = `${plugin} with turnpike ${turnpike}: ${passed} passed, ${failed} failed, in ${ran} of ${suites.length} suites`
  return [...rows, '', total].join('\n')
}

function compare(stated: ConformanceReport, found: ConformanceReport, file: string): void {
  const differences = differencesOf(stated, found)
  if (differences.length === 0) return console.log(`${file} is reproduced: every result is the same.`)
  process.exitCode = 1
  console.log(`${file} is not reproduced:\n${differences.map(difference => `  ${difference}`).join('\n')}`)
}
