import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gatewayCommand } from './gateway.ts'
import type { Shot } from './load.ts'
import { rungs, type RungName } from './rungs.ts'
import type { Command } from './server-process.ts'

/** `single` is a stream whose upstream writes one event at a time. */
export type Mode = 'json' | 'stream' | 'single'
/** `chat` is the gateway under test, asked through Chat Completions; `telemetry` has both telemetry plugins. Of a peer: what `--peers` calls it. */
export type ContenderName =
  | 'none'
  | 'bare'
  | 'minimal'
  | 'before'
  | 'turnpike'
  | 'telemetry'
  | 'chat'
  | 'portkey'
  | RungName
  | (string & {})

export interface Contender {
  readonly name: ContenderName
  readonly modes: readonly Mode[]
  /** Absent if the load goes straight to the upstream. */
  readonly command?: Command
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly speaks: 'chat' | 'responses'
  /** Default: that of its dialect. */
  readonly model?: string
}

const chatPath = '/v1/chat/completions'
const all: readonly Mode[] = ['json', 'stream', 'single']

export interface Given {
  /** The folder of another build, for `--against`. */
  readonly before?: string
  /** Shell commands by name, for `--peers`. */
  readonly peers?: ReadonlyMap<string, string>
}

export function contender(name: ContenderName, port: number, upstream: string, { before = '', peers = new Map() }: Given = {}): Contender {
  const peer = peers.get(name)
  if (peer !== undefined) {
    const shell = peer.replaceAll('{port}', `${port}`).replaceAll('{upstream}', upstream)
    const headers = { Authorization: 'Bearer sk-demo-upstream' }
    return {
      name,
      modes: all,
      command: { nodeArguments: [], shell, env: environment(port, upstream) },
      path: chatPath,
      headers,
      speaks: 'chat',
    }
  }
  if (name in rungs) {
    const command = small('ladder.ts', port, upstream, { BENCH_RUNG: name })
    const speaks = rungs[name as RungName].label.startsWith('node:http') || name === 'rung-h3' ? 'chat' : 'responses'
    return { name, modes: ['json'], command, path: '/v1/responses', headers: { Authorization: 'Bearer tp_demo_ladder' }, speaks }
  }
  switch (name) {
    case 'none':
      return { name, modes: all, path: chatPath, headers: {}, speaks: 'chat' }
    case 'bare':
      return { name, modes: all, command: small('bare-forwarder.ts', port, upstream), path: chatPath, headers: {}, speaks: 'chat' }
    case 'minimal':
      return {
        name,
        modes: ['stream', 'single'],
        command: small('minimal-stream.ts', port, upstream),
        path: '/v1/responses',
        headers: {},
        speaks: 'responses',
      }
    case 'before':
    case 'telemetry':
    case 'turnpike': {
      const folder = name === 'before' ? before : undefined
      const settings = { BENCH_UPSTREAM: upstream, ...(name === 'telemetry' && { BENCH_TELEMETRY: 'on' }) }
      const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', settings, folder)
      return { name, modes: all, command, path: '/v1/responses', headers: { Authorization: `Bearer ${apiKey}` }, speaks: 'responses' }
    }
    case 'chat': {
      const { command, apiKey } = gatewayCommand(port, 'gateway.config.ts', { BENCH_UPSTREAM: upstream })
      const headers = { Authorization: `Bearer ${apiKey}` }
      return { name, modes: all, command, path: chatPath, headers, speaks: 'chat', model: 'bench/bench-model' }
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
  throw new Error(`There is no contender "${name}".`)
}

export function shot(contender: Contender, origin: string, mode: Mode): Shot {
  const stream = mode !== 'json'
  const content = mode === 'single' ? `${question} (one event per write)` : question
  const body =
    contender.speaks === 'chat'
      ? {
          model: contender.model ?? 'bench-model',
          messages: [{ role: 'user', content }],
          stream,
          ...(stream && { stream_options: { include_usage: true } }),
        }
      : { model: 'bench/bench-model', input: content, stream }
  return { url: origin + contender.path, headers: contender.headers, body: JSON.stringify(body) }
}

/** Text that only a complete reply has near its end. */
export function marker(contender: Contender, mode: Mode): string {
  if (mode === 'json') return 'another, quickly'
  return contender.speaks === 'chat' ? 'data: [DONE]' : '"type":"response.completed"'
}

export const question = 'Say what a gateway does, in a few words, and then say it again in a few more, until there is nothing left to say.'

function small(file: string, port: number, upstream: string, env: Readonly<Record<string, string>> = {}): Command {
  return { nodeArguments: [fileURLToPath(new URL(file, import.meta.url))], env: { ...environment(port, upstream), ...env } }
}

function environment(port: number, upstream: string): Readonly<Record<string, string>> {
  return { BENCH_PORT: `${port}`, BENCH_UPSTREAM: upstream }
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
