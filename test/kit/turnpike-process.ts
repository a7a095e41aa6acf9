import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The command as users get it, which `npm test` has built; from its sources where a test file runs by itself. */
const bin = process.env['TURNPIKE_COMMAND'] ?? fileURLToPath(new URL('../../bin/turnpike.js', import.meta.url))
/** Far more than a busy machine needs: this ends what hangs. */
const startLimitMs = 180_000
/** A line that any gateway may print on a busy machine. */
const waits = /^\{.*"message":"still waiting for a plugin"\}\n/gm

/** A separate folder with a config, in which the command runs. */
export class Workplace {
  readonly path = mkdtempSync(join(tmpdir(), 'turnpike-command-'))

  constructor(config?: string) {
    if (config !== undefined) this.write(config)
  }

  write(config: string): void {
    writeFileSync(join(this.path, 'gateway.config.ts'), config)
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true })
  }

  spawn(
    commandLine: readonly string[],
    nodeArguments: readonly string[] = [],
    environment: Readonly<Record<string, string>> = {},
    launcher: readonly string[] = [],
  ): TurnpikeProcess {
    return new TurnpikeProcess(this.path, commandLine, nodeArguments, environment, launcher)
  }

  /** Runs a command to its end. */
  async run(...commandLine: readonly string[]): Promise<Finished> {
    return await this.spawn(commandLine).finished
  }
}

export interface Finished {
  readonly exitCode: number | null
  readonly stdout: string
  /** Without that a plugin is slow. */
  readonly stderr: string
}

export class TurnpikeProcess {
  readonly finished: Promise<Finished>
  readonly #child: ChildProcess
  #stdout = ''
  #stderr = ''

  constructor(
    folder: string,
    commandLine: readonly string[],
    nodeArguments: readonly string[],
    environment: Readonly<Record<string, string>>,
    /** A program that becomes the command, such as `ip netns exec …`. */
    launcher: readonly string[] = [],
  ) {
    // Only the variables that it needs: no keys of real vendors, and none that the test runner sets for its children.
    const { PATH, HOME, TMPDIR } = process.env
    const [program, ...rest] = [...launcher, process.execPath, ...nodeArguments, bin, ...commandLine]
    this.#child = spawn(program!, rest, {
      cwd: folder,
      env: { PATH, HOME, TMPDIR, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    this.#child.stdout!.setEncoding('utf8').on('data', (text: string) => void (this.#stdout += text))
    this.#child.stderr!.setEncoding('utf8').on('data', (text: string) => void (this.#stderr += text))
    this.finished = once(this.#child, 'close').then(([exitCode]) => ({ exitCode, stdout: this.#stdout, stderr: this.stderr }))
  }

  get pid(): number {
    return this.#child.pid!
  }

  get stdout(): string {
    return this.#stdout
  }

  get stderr(): string {
    return this.#stderr.replace(waits, '')
  }

  signal(name: NodeJS.Signals): void {
    this.#child.kill(name)
  }

  /** Closes the reading ends of its output, as a pager does that ends. */
  stopReading(): void {
    this.#child.stdout!.destroy()
    this.#child.stderr!.destroy()
  }

  /** Resolves with standard output once it matches. */
  async says(pattern: RegExp): Promise<RegExpExecArray> {
    const matched = (): RegExpExecArray | undefined => pattern.exec(this.#stdout) ?? undefined
    const timer = setTimeout(() => this.signal('SIGKILL'), startLimitMs)
    try {
      for (;;) {
        const found = matched()
        if (found) return found
        const isOver = await Promise.race([once(this.#child.stdout!, 'data').then(() => false), this.finished.then(() => true)])
        if (!isOver) continue
        const last = matched()
        if (last) return last
        throw new Error(`it ended without saying ${pattern}:\n${this.#stdout}${this.#stderr}`)
      }
    } finally {
      clearTimeout(timer)
    }
  }

  async url(): Promise<string> {
    return (await this.says(/listens on (http:\S+)/))[1]!
  }
}

/** The text of a config with the defaults. */
export function config(server: string, plugins = '', without: readonly string[] = []): string {
  return `
    import { defineConfig, defaults } from 'turnpike/config'
    export default defineConfig({
      server: { port: 0, drainAnnounceMs: 0, ${server} },
      plugins: [...defaults({ without: ${JSON.stringify(['ollama', ...without])} }), ${plugins}],
    })`
}

/** A new key, made by the command. */
export async function keyOf(workplace: Workplace, ...options: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await workplace.run('keys', 'create', ...options)
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** Sends a request to a gateway that runs as a process. */
export async function askProcess(
  gateway: TurnpikeProcess,
  key: string,
  body: object = {},
): Promise<{ status: number; id: string; text: string }> {
  const reply = await fetch(`${await gateway.url()}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'sandbox/reasoning', input: 'Hello', ...body }),
  })
  const text = await reply.text()
  return { status: reply.status, id: JSON.parse(text).id, text }
}
