import { spawn } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildCommand } from './command.ts'
import { outcomeOf, type Ending, type Outcome } from './outcome.ts'
import { sharesOf, type Share } from './plan.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** Far more than any process needs: this ends what hangs. */
const usualLimitMs = 900_000
/** One more than there are cores, because some tests wait. */
export const usualJobs = availableParallelism() + 1

export interface RunOptions {
  /** How many processes run at once. */
  readonly jobs?: number
  /** How long a process may take. */
  readonly limitMs?: number
  readonly environment?: Readonly<Record<string, string>>
  /** Called for each failure as soon as its process has ended. */
  readonly onFailure?: (failure: string) => void
  /** Called when a process has ended, with the number of files that are done. */
  readonly onProgress?: (files: number) => void
}

/** Runs test files in processes that share the work, and returns the outcome of each process. */
export async function runTests(files: readonly string[], options: RunOptions = {}): Promise<readonly Outcome[]> {
  const { limitMs = usualLimitMs } = options
  const waiting = [...sharesOf(files)]
  const scratch = mkdtempSync(join(tmpdir(), 'turnpike-tests-'))
  const running = new Set<() => void>()
  const cleanUp = (): void => {
    for (const kill of running) kill()
    rmSync(scratch, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)
  const command = waiting.some(({ shard }) => shard.startsCommand) ? buildCommand(join(scratch, 'package')) : undefined
  const environment = {
    ...process.env,
    TAP_TIMEOUT: String(limitMs / 1000),
    NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'turnpike-tests'),
    ...(command !== undefined && { TURNPIKE_COMMAND: command }),
    ...options.environment,
  }
  const outcomes: Outcome[] = []
  let started = 0
  let done = 0
  const worker = async (): Promise<void> => {
    for (let share = waiting.shift(); share; share = waiting.shift()) {
      const outcome = await runShare(share, ++started, scratch, environment, limitMs, running)
      outcomes.push(outcome)
      outcome.failures.forEach(failure => options.onFailure?.(failure))
      done += share.files.length
      options.onProgress?.(done)
    }
  }
  await Promise.all(Array.from({ length: options.jobs ?? usualJobs }, worker))
  process.off('exit', cleanUp)
  cleanUp()
  return outcomes
}

/** Runs one process. What it writes goes to files, so that nothing here has to keep up with it. */
async function runShare(
  { files }: Share,
  number: number,
  scratch: string,
  environment: NodeJS.ProcessEnv,
  limitMs: number,
  running: Set<() => void>,
): Promise<Outcome> {
  const [tap, errors] = [join(scratch, `${number}.tap`), join(scratch, `${number}.errors`)]
  const [output, complaints] = [openSync(tap, 'w'), openSync(errors, 'w')]
  const words = ['--conditions=turnpike-source', `--import=${join(root, 'bin/own-package.js')}`, '--test-reporter=tap']
  const child = spawn(process.execPath, [...words, join(root, 'scripts/tests/run-files.ts'), `${process.pid}-${number}`], {
    cwd: root,
    env: { ...environment, TURNPIKE_TEST_FILES: JSON.stringify(files) },
    stdio: ['ignore', output, complaints],
    // Its own process group, so its children end with it.
    detached: true,
  })
  closeSync(output)
  closeSync(complaints)
  const kill = (): void => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // Nothing of the group is left.
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
  kill()
  running.delete(kill)
  return outcomeOf(readFileSync(tap, 'utf8'), files, {
    exitCode,
    complaints: readFileSync(errors, 'utf8'),
    ...(why !== undefined && { why }),
  })
}
