import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gatewayCommand } from './gateway.ts'
import type { Shot } from './load.ts'
import type { Command } from './server-process.ts'

export type Mode = 'json' | 'stream'
export type ContenderName = 'none' | 'bare' | 'minimal' | 'before' | 'turnpike' | 'portkey'

export interface Contender {
  readonly name: ContenderName
  readonly modes: readonly Mode[]
  /** Absent if the load goes straight to the upstream. */
  readonly command?: Command
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly speaks: 'chat' | 'responses'
}

const chatPath = '/v1/chat/completions'
const both: readonly Mode[] = ['json', 'stream']

/** `before` is the folder of another build, for `--against`. */
export function contender(name: ContenderName, port: number, upstream: string, before = ''): Contender {
  switch (name) {
    case 'none':
      return { name, modes: both, path: chatPath, headers: {}, speaks: 'chat' }
    case 'bare':
      return { name, modes: both, command: small('bare-forwarder.ts', port, upstream), path: chatPath, headers: {}, speaks: 'chat' }
    case 'minimal':
      return {
        name,
        modes: ['stream'],
        command: small('minimal-stream.ts', port, upstream),
        path: '/v1/responses',
        headers: {},
        speaks: 'responses',
      }
    case 'before':
    case 'turnpike': {
      const folder = name === 'before' ? before : undefined
      const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', { BENCH_UPSTREAM: upstream }, folder)
      return { name, modes: both, command, path: '/v1/responses', headers: { Authorization: `Bearer ${apiKey}` }, speaks: 'responses' }
    }
    case 'portkey':
      return {
        name,
        // Its streams fail.
        modes: ['json'],
        command: portkey(port),
        path: chatPath,
        headers: { Authorization: 'Bearer sk-demo-upstream', 'x-portkey-provider': 'openai', 'x-portkey-custom-host': `${upstream}/v1` },
        speaks: 'chat',
      }
  }
}

export function shot(contender: Contender, origin: string, mode: Mode): Shot {
  const stream = mode === 'stream'
  const body =
    contender.speaks === 'chat'
      ? {
          model: 'bench-model',
          messages: [{ role: 'user', content: question }],
          stream,
          ...(stream && { stream_options: { include_usage: true } }),
        }
      : { model: 'bench/bench-model', input: question, stream }
  return { url: origin + contender.path, headers: contender.headers, body: JSON.stringify(body) }
}

/** Text that only a complete reply has near its end. */
export function marker(contender: Contender, mode: Mode): string {
  if (mode === 'json') return 'another, quickly'
  return contender.speaks === 'chat' ? 'data: [DONE]' : '"type":"response.completed"'
}

export const question = 'Say what a gateway does, in a few words, and then say it again in a few more, until there is nothing left to say.'

function small(file: string, port: number, upstream: string): Command {
  return { nodeArguments: [fileURLToPath(new URL(file, import.meta.url))], env: { BENCH_PORT: `${port}`, BENCH_UPSTREAM: upstream } }
}

function portkey(port: number): Command {
  const folder = join(tmpdir(), 'turnpike-bench-portkey')
  const server = join(folder, 'node_modules/@portkey-ai/gateway/build/start-server.js')
  if (!existsSync(server)) {
    mkdirSync(folder, { recursive: true })
    execFileSync('npm', ['install', '--prefix', folder, '--no-audit', '--no-fund', '--ignore-scripts', '@portkey-ai/gateway@1.15.2'], {
      stdio: 'inherit',
    })
  }
  return { nodeArguments: [server, '--headless', `--port=${port}`], env: {}, cwd: folder }
}
