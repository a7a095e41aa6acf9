// Runs the tests: `npm test`, or a part of them: `npm test -- stores test/core/routing test/config/keys.test.ts`.
//
//   --jobs N   how many processes at once; one more than there are cores unless given, because some tests wait

import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, openSync, closeSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildCommand } from './tests/command.ts'
import { outcomeOf, type Ending, type Outcome } from './tests/outcome.ts'
import { filesOf, sharesOf, testFiles, type Share } from './tests/plan.ts'
import { report } from './tests/report.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Far more than any file needs: this ends what hangs. */
const limitMs = 900_000

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { jobs: { type: 'string', default: String(availableParallelism() + 1) } },
})
const waiting = [...sharesOf(filesOf(positionals, testFiles(root)))]
const scratch = mkdtempSync(join(tmpdir(), 'turnpike-tests-'))
const running = new Set<() => void>()
process.once('exit', () => {
  for (const kill of running) kill()
  rmSync(scratch, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const command = waiting.some(({ shard }) => shard.startsCommand) ? buildCommand(join(scratch, 'package')) : undefined
const environment = {
  ...process.env,
  TAP_TIMEOUT: String(limitMs / 1000),
  NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'turnpike-tests'),
  ...(command !== undefined && { TURNPIKE_COMMAND: command }),
}
const outcomes: Outcome[] = []
let started = 0
const worker = async (): Promise<void> => {
  for (let share = waiting.shift(); share; share = waiting.shift()) {
    const outcome = await run(share)
    outcomes.push(outcome)
    for (const failure of outcome.failures) console.log(`\nnot ok ${failure}\n`)
  }
}
await Promise.all(Array.from({ length: Math.max(1, Number(values.jobs)) }, worker))
const { text, isGood } = report(outcomes)
console.log(text)
process.exitCode = isGood ? 0 : 1

/** Runs one process. What it prints goes to a file, so that nothing here has to keep up with it. */
async function run({ files }: Share): Promise<Outcome> {
  const name = join(scratch, files[0]!.replaceAll('/', '-'))
  const [output, errors] = [openSync(`${name}.tap`, 'w'), openSync(`${name}.errors`, 'w')]
  const child = spawn(
    process.execPath,
    [
      '--conditions=turnpike-source',
      `--import=${join(root, 'bin/own-package.js')}`,
      '--test-reporter=tap',
      join(root, 'scripts/tests/run-files.ts'),
      String(++started),
    ],
    // A group of its own, so that what it has started ends with it.
    { cwd: root, env: { ...environment, TURNPIKE_TEST_FILES: JSON.stringify(files) }, stdio: ['ignore', output, errors], detached: true },
  )
  for (const file of [output, errors]) closeSync(file)
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It is gone.
    }
  }
  running.add(kill)
  let why: string | undefined
  const timer = setTimeout(() => {
    why = `took more than ${limitMs / 1000} s`
    kill()
  }, limitMs)
  const exitCode = await new Promise<Ending['exitCode']>(resolve => child.once('close', resolve))
  clearTimeout(timer)
  running.delete(kill)
  const [told, complaints] = ['tap', 'errors'].map(kind => readFileSync(`${name}.${kind}`, 'utf8')) as [string, string]
  return outcomeOf(told, files, { exitCode, complaints, ...(why !== undefined && { why }) })
}
