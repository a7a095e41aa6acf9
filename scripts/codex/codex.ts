import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const defaultVersion = '0.169.0'
const turnTimeoutMs = 120_000

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

/** Installs Codex into `folder` if it is not there. */
export async function installCodex(folder: string, version = defaultVersion): Promise<string> {
  const command = join(folder, 'node_modules/@openai/codex/bin/codex.js')
  if (!existsSync(command)) {
    console.log(`Installing Codex ${version} into ${folder} …`)
    await promisify(execFile)('npm', ['install', '--no-audit', '--no-fund', '--prefix', folder, `@openai/codex@${version}`])
  }
  return command
}

/**
 * How it reaches the gateway: as a provider of the operator's, over HTTP or WebSocket, or in place of OpenAI, which it asks over WebSocket
 * and to compact.
 */
export type CodexWay = 'http' | 'websocket' | 'built-in'

export interface CodexOptions {
  /** As `installCodex` returns it. */
  readonly command: string
  /** For its own files. Has to be new. */
  readonly home: string
  readonly baseUrl: string
  readonly apiKey: string
  /** Default: `http`. */
  readonly way?: CodexWay
  /** Settings in TOML. */
  readonly settings?: string
}

/** Codex, configured for one gateway. */
export class Codex {
  readonly #command: string
  readonly #home: string
  readonly #apiKey: string

  private constructor({ command, home, apiKey }: CodexOptions) {
    this.#command = command
    this.#home = home
    this.#apiKey = apiKey
  }

  static async configure(options: CodexOptions): Promise<Codex> {
    await mkdir(options.home, { recursive: true })
    await writeFile(join(options.home, 'config.toml'), configFor(options))
    return new Codex(options)
  }

  /** Runs `codex exec` once, with its input closed, in `folder`, or in one without a project. */
  async turn(model: string, args: readonly string[], folder: string = this.#home): Promise<Turn> {
    const resumes = args[0] === 'resume'
    const all = ['exec', '-s', 'danger-full-access', ...(resumes ? ['resume'] : []), '--skip-git-repo-check', '--json', '-m', model]
    const child = spawn(process.execPath, [this.#command, ...all, ...(resumes ? args.slice(1) : args)], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.#home,
        CODEX_HOME: this.#home,
        GATEWAY_KEY: this.#apiKey,
        CODEX_API_KEY: this.#apiKey,
      },
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
function configFor({ baseUrl, way = 'http', settings = '' }: CodexOptions): string {
  const general = `check_for_update_on_startup = false
approval_policy = "never"
${settings}
`
  const quiet = `
[analytics]
enabled = false
`
  if (way === 'built-in') return `openai_base_url = "${baseUrl}"\n${general}${quiet}`
  return `model_provider = "turnpike"
${general}
[model_providers.turnpike]
name = "Turnpike"
base_url = "${baseUrl}"
env_key = "GATEWAY_KEY"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
stream_idle_timeout_ms = 20000
supports_websockets = ${way === 'websocket'}
${quiet}`
}
