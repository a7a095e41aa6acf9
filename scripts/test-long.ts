// Runs the long checks one after the other: `npm run test:long`, or some of them by their names: `npm run test:long -- Crashes`. The
// results go to scripts/tests/long-results.json and docs/long-checks.md.

import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { longChecksPage } from './long-checks-page.ts'
import { longChecks, type LongCheck } from './tests/long-checks.ts'
import type { LongResult } from './tests/long-results.ts'
import { filesOf, testFiles } from './tests/plan.ts'
import lastResults from './tests/long-results.json' with { type: 'json' }
import { report } from './tests/report.ts'
import { runTests } from './tests/run.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !longChecks.some(check => check.name === name))
if (unknown.length > 0)
  throw new Error(`Expected names of long checks (${longChecks.map(({ name }) => name).join(', ')}), but got '${unknown.join("', '")}'.`)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const date = new Date().toISOString().slice(0, 10)
const commit = spawnSync('git', ['rev-parse', '--short=10', 'HEAD'], { cwd: root, encoding: 'utf8' }).stdout.trim()
const results: LongResult[] = []
for (const check of longChecks.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
  console.log(`\n== ${check.name}`)
  const start = performance.now()
  const counts = check.programs ? runPrograms(check.programs) : await runFiles(check)
  results.push({ name: check.name, date, commit, ...counts, seconds: Math.round((performance.now() - start) / 1000) })
}
const failed = results.reduce((sum, result) => sum + result.failed, 0)
const passed = results.reduce((sum, result) => sum + result.passed, 0)
const earlier = lastResults.filter(({ name }) => !results.some(result => result.name === name))
const known = [...results, ...earlier]
const latest = longChecks.flatMap(({ name }) => known.find(result => result.name === name) ?? [])
writeFileSync(new URL('tests/long-results.json', import.meta.url), `${JSON.stringify(latest, undefined, 2)}\n`)
writeFileSync(new URL('../docs/long-checks.md', import.meta.url), longChecksPage(latest))
console.log(`\n${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

type Counts = Pick<LongResult, 'passed' | 'failed' | 'skipped'>

async function runFiles({ files = [], jobs }: LongCheck): Promise<Counts> {
  const outcomes = await runTests(filesOf(files, testFiles(root)), {
    ...(jobs !== undefined && { jobs }),
    limitMs: 1_800_000,
    environment: { TURNPIKE_TEST_LONG: '1' },
    onFailure: failure => console.log(`\nnot ok ${failure}\n`),
  })
  const { text, passed, failed, skipped } = report(outcomes)
  console.log(text)
  return { passed, failed, skipped }
}

function runPrograms(programs: readonly (readonly string[])[]): Counts {
  const isGood = programs.every(program => spawnSync(process.execPath, program, { cwd: root, stdio: 'inherit' }).status === 0)
  return { passed: isGood ? 1 : 0, failed: isGood ? 0 : 1, skipped: 0 }
}
