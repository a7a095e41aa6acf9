// Runs the tests: `npm test`, or parts of them: `npm test -- stores test/core/routing test/config/keys.test.ts`.
//
//   --jobs N   how many processes at once

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { filesOf, testFiles } from './tests/plan.ts'
import { report } from './tests/report.ts'
import { runTests, usualJobs } from './tests/run.ts'

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

const { files, jobs } = asked()
const outcomes = await runTests(files, {
  jobs,
  onFailure: failure => console.log(`\nnot ok ${failure}\n`),
  onProgress: done => void (process.stdout.isTTY && process.stdout.write(`\r${done} of ${files.length} files`)),
})
const { text, passed, failed } = report(outcomes)
console.log(text)
// A run without a test is not a success.
process.exitCode = failed === 0 && passed > 0 ? 0 : 1

function asked(): { readonly files: readonly string[]; readonly jobs: number } {
  try {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { jobs: { type: 'string', default: String(usualJobs) } } })
    const jobs = Number(values.jobs)
    if (!Number.isInteger(jobs) || jobs < 1) throw new Error(`--jobs expects a whole number above 0, but got '${values.jobs}'.`)
    return { files: filesOf(positionals, testFiles(fileURLToPath(new URL('..', import.meta.url)))), jobs }
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}
