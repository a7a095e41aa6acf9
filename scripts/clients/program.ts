import { spawn } from 'node:child_process'
import { checks, type Check, type Report } from './checks.ts'
import type { Command } from './language.ts'
import { knownNames, type Stage } from './stage.ts'

/** Far more than a busy machine needs: this ends what hangs. */
const limitMs = 600_000
let runs = 0

/** Runs a client's program against one vendor, and returns what it reports. */
export async function reportsOf(command: Command, stage: Stage, vendor: string): Promise<readonly Report[]> {
  // Names of models end with it, so that the vendors know the requests of this run.
  const run = `run${++runs}`
  const { gpt, claude } = vendor in knownNames ? knownNames[vendor as keyof typeof knownNames] : { gpt: vendor, claude: vendor }
  const { exitCode, output, errors } = await finished(command, {
    TURNPIKE_URL: stage.url,
    TURNPIKE_KEY: stage.apiKey,
    TURNPIKE_VENDOR: vendor,
    TURNPIKE_RUN: run,
    TURNPIKE_MCP: stage.mcpUrl,
    TURNPIKE_GPT: gpt,
    TURNPIKE_CLAUDE: claude,
  })
  const reports = output.split('\n').flatMap(line => reportIn(line) ?? [])
  const ended = exitCode === 0 && reports.length > 0 ? [] : [failed('text', `The program ended with ${exitCode}: ${errors.slice(-1_500)}`)]
  const all = [...reports, ...ended]
  const aborted = all.some(({ check, failure, absent }) => check === 'abort' && failure === undefined && absent === undefined)
  if (aborted && !(await stage.leftEarly(`slow-${run}`))) all.push(failed('abort', 'The gateway went on asking the vendor.'))
  return all
}

function failed(check: Check, failure: string): Report {
  return { check, failure }
}

function reportIn(line: string): Report | undefined {
  if (!line.startsWith('{"check"')) return undefined
  const report = JSON.parse(line) as Report
  if (!checks.includes(report.check)) throw new Error(`Expected one of the checks ${checks.join(', ')}, got "${report.check}".`)
  return report
}

interface Finished {
  readonly exitCode: number | null
  readonly output: string
  readonly errors: string
}

async function finished({ file, args, cwd, environment }: Command, more: Readonly<Record<string, string>>): Promise<Finished> {
  const { PATH = '', HOME = '' } = process.env
  // None of the environment's own keys, and no telemetry.
  const env = { PATH, HOME, LANG: 'C.UTF-8', DO_NOT_TRACK: '1', NO_COLOR: '1', ...environment, ...more }
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: limitMs })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => void (output += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => void (errors += text))
  const exitCode = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  return { exitCode, output, errors }
}
