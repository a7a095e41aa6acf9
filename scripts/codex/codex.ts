import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const version = '0.169.0'
const turnTimeoutMs = 60_000

/** Codex's report of one turn. */
export interface Turn {
  readonly exitCode: number | null
  readonly threadId: string
  readonly items: readonly { readonly type: string; readonly text?: string }[]
  /** The model's messages. */
  readonly said: readonly string[]
  readonly usage: Readonly<Record<string, number>> | undefined
  readonly failure: string | undefined
  readonly errorOutput: string
}

/** Codex, configured for one gateway. */
export class Codex {
  readonly #command: string
  readonly #home: string
  readonly #apiKey: string

  private constructor(command: string, home: string, apiKey: string) {
    this.#command = command
    this.#home = home
    this.#apiKey = apiKey
  }

  /** Installs Codex into `folder` if it is not there. Its own files go into `scratch`. */
  static async install(folder: string, scratch: string, baseUrl: string, apiKey: string): Promise<Codex> {
    const command = join(folder, 'node_modules/@openai/codex/bin/codex.js')
    if (!existsSync(command)) {
      console.log(`Installing Codex ${version} into ${folder} …`)
      await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `@openai/codex@${version}`])
    }
    const home = join(scratch, 'home')
    await mkdir(home)
    await writeFile(join(home, 'config.toml'), configFor(baseUrl))
    return new Codex(command, home, apiKey)
  }

  /** Runs `codex exec` once, with its input closed, in an empty folder. */
  async turn(model: string, args: readonly string[]): Promise<Turn> {
    const resumes = args[0] === 'resume'
    const all = ['exec', '-s', 'danger-full-access', ...(resumes ? ['resume'] : []), '--skip-git-repo-check', '--json', '-m', model]
    const child = spawn(process.execPath, [this.#command, ...all, ...(resumes ? args.slice(1) : args)], {
      cwd: this.#home,
      env: { PATH: process.env['PATH'], HOME: this.#home, CODEX_HOME: this.#home, GATEWAY_KEY: this.#apiKey },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: turnTimeoutMs,
    })
    let output = ''
    let errorOutput = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => void (output += text))
    child.stderr.setEncoding('utf8').on('data', (text: string) => void (errorOutput += text))
    const exitCode = await new Promise<number | null>(resolve => child.once('close', resolve))
    return turnOf(exitCode, output, errorOutput)
  }
}

interface CodexEvent {
  readonly type: string
  readonly thread_id?: string
  readonly item?: { readonly type: string; readonly text?: string }
  readonly usage?: Readonly<Record<string, number>>
  readonly error?: { readonly message: string }
}

function turnOf(exitCode: number | null, output: string, errorOutput: string): Turn {
  const events = output
    .split('\n')
    .filter(line => line.startsWith('{'))
    .map(line => JSON.parse(line) as CodexEvent)
  const find = (type: string): CodexEvent | undefined => events.find(event => event.type === type)
  const items = events.flatMap(({ type, item }) => (type === 'item.completed' && item ? [item] : []))
  return {
    exitCode,
    threadId: find('thread.started')?.thread_id ?? '',
    items,
    said: items.flatMap(({ type, text }) => (type === 'agent_message' && text !== undefined ? [text] : [])),
    usage: find('turn.completed')?.usage,
    failure: find('turn.failed')?.error?.message,
    errorOutput: errorOutput.slice(-2_000),
  }
}

/** No retries, which would hide failures, and no traffic beyond this machine. */
function configFor(baseUrl: string): string {
  return `model_provider = "turnpike"
check_for_update_on_startup = false
approval_policy = "never"

[model_providers.turnpike]
name = "Turnpike"
base_url = "${baseUrl}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
stream_idle_timeout_ms = 20000
supports_websockets = false

[analytics]
enabled = false
`
}
