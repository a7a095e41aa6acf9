// Runs the tests: `npm test`, or parts of them: `npm test -- stores test/core/routing test/config/keys.test.ts`.
//
//   --jobs N   how many processes at once

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf, testFiles } from './tests/plan.ts'
import { report } from './tests/report.ts'
import { runTests, usualJobs } from './tests/run.ts'

const { values, positionals } = parseArgs({ allowPositionals: true, options: { jobs: { type: 'string', default: String(usualJobs) } } })
const jobs = Number(values.jobs)
if (!Number.isInteger(jobs) || jobs < 1) throw new Error(`--jobs expects a whole number above 0, but got '${values.jobs}'.`)
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const files = filesOf(positionals, testFiles(fileURLToPath(new URL('..', import.meta.url))))
const { text, passed, failed } = report(await runTests(files, { jobs, onFailure: failure => console.log(`\nnot ok ${failure}\n`) }))
console.log(text)
// A run without a test is not a success.
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
