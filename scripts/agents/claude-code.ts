import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const claudeVersion = '2.1.332'
const turnTimeoutMs = 180_000

/** Installs Claude Code into `folder` if it is not there. */
export async function installClaudeCode(folder: string): Promise<string> {
  const command = join(folder, 'node_modules/.bin/claude')
  if (!existsSync(command)) {
    console.log(`Installing Claude Code ${claudeVersion} into ${folder} …`)
    // Its program comes in a package of its own, which a script puts in its place.
    await promisify(execFile)('npm', [
      'install',
      '--no-audit',
      '--no-fund',
      '--prefix',
      folder,
      `@anthropic-ai/claude-code@${claudeVersion}`,
    ])
  }
  return command
}

export interface ClaudeTurn {
  readonly exitCode: number
  readonly sessionId: string
  readonly result: string
  /** True if it said that it replaced the conversation by a summary. */
  readonly compacted: boolean
  readonly tools: readonly string[]
  readonly errorOutput: string
}

interface Message {
  readonly type: string
  readonly subtype?: string
  readonly session_id?: string
  readonly result?: string
  readonly message?: { readonly content?: string | readonly { readonly type: string; readonly name?: string }[] }
}

/** Claude Code, configured for one gateway. */
export class ClaudeCode {
  readonly #command: string
  readonly #environment: Readonly<Record<string, string>>

  private constructor(command: string, environment: Readonly<Record<string, string>>) {
    this.#command = command
    this.#environment = environment
  }

  /** `home` is for its own files, and has to be new. `url` is the gateway's, without a path. */
  static async configure(options: { command: string; home: string; url: string; apiKey: string; model: string }): Promise<ClaudeCode> {
    const { command, home, url, apiKey, model } = options
    await mkdir(home, { recursive: true })
    return new ClaudeCode(command, {
      PATH: process.env['PATH'] ?? '',
      HOME: home,
      TMPDIR: home,
      LANG: 'C.UTF-8',
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_AUTH_TOKEN: apiKey,
      ANTHROPIC_MODEL: model,
      ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
      // No traffic beyond the gateway.
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      // They would hide failures.
      CLAUDE_CODE_MAX_RETRIES: '0',
    })
  }

  /** Runs one prompt in `folder`, in a new session or in an earlier one. */
  async turn(prompt: string, folder: string, sessionId?: string): Promise<ClaudeTurn> {
    const session = sessionId === undefined ? [] : ['--resume', sessionId]
    const args = ['-p', prompt, ...session, '--output-format', 'stream-json', '--verbose', '--allowedTools', 'Read,Edit,Bash']
    const { exitCode, output, errorOutput } = await this.#run(args, folder)
    const messages = output.split('\n').flatMap(line => (line.startsWith('{') ? [JSON.parse(line) as Message] : []))
    return {
      exitCode,
      sessionId: messages.findLast(message => message.session_id !== undefined)?.session_id ?? '',
      result: messages.findLast(({ type }) => type === 'result')?.result ?? '',
      compacted: messages.some(({ subtype }) => subtype === 'compact_boundary'),
      tools: messages.flatMap(({ type, message }) =>
        type === 'assistant' && typeof message?.content === 'object' ? message.content.flatMap(({ name }) => name ?? []) : [],
      ),
      errorOutput: errorOutput.slice(-2_000),
    }
  }

  async #run(args: readonly string[], cwd: string): Promise<{ exitCode: number; output: string; errorOutput: string }> {
    return await new Promise(resolve => {
      const options = { cwd, env: this.#environment, timeout: turnTimeoutMs, maxBuffer: 2 ** 26 }
      const child = execFile(this.#command, args, options, (error, output, errorOutput) =>
        resolve({ exitCode: error ? (typeof error.code === 'number' ? error.code : -1) : 0, output, errorOutput }),
      )
      child.stdin!.end()
    })
  }
}
