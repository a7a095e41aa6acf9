import { question } from '../contenders.ts'
import { expectation } from '../expectation.ts'
import { gatewayCommand } from '../gateway.ts'
import type { Expected, Shot } from '../load.ts'
import { freePort, startServer, type ServerProcess } from '../server-process.ts'
import { settle } from '../settling.ts'
import { streamedReply } from '../streamed-reply.ts'
import { startUpstream, type Upstream } from '../upstream.ts'

/** A gateway under load. */
export interface Site {
  readonly name: string
  readonly port: number
  readonly server: ServerProcess
  readonly shot: Shot
  readonly expected: Expected
}

export interface SiteOptions {
  readonly name: string
  readonly upstream: Upstream
  /** Such as `1` or `0,1`. */
  readonly cores: string
  readonly driverCore: number
  readonly settings?: Readonly<Record<string, string>>
  /** Of `turnpike start`. */
  readonly arguments?: readonly string[]
  /** Of `turnpike keys create`. */
  readonly keyOptions?: readonly string[]
  /** In bench/. Default: gateway.config.ts. */
  readonly config?: string
  /** True if answers are to be stored. */
  readonly isStored?: boolean
  /** Default: 15. */
  readonly settleSeconds?: number
}

export async function upstreamOn(core: number): Promise<Upstream> {
  return await startUpstream({ reply: streamedReply('openai-chat', 200), eventsPerWrite: 8, gapMicroseconds: 100, core })
}

/** Starts a gateway, and loads it until V8 has optimized it. */
export async function openSite({ name, upstream, cores, driverCore, settings = {}, ...options }: SiteOptions): Promise<Site> {
  const { config = 'gateway.config.ts', isStored = false, settleSeconds = 15 } = options
  const port = await freePort()
  const given = { BENCH_UPSTREAM: upstream.origin, ...settings }
  const { command, apiKey } = gatewayCommand(port, config, given, undefined, options.keyOptions)
  const shot = {
    url: `http://127.0.0.1:${port}/v1/responses`,
    headers: { Authorization: `Bearer ${apiKey}` },
    body: JSON.stringify({ model: 'bench/bench-model', input: question, store: isStored }),
  }
  const nodeArguments = [...command.nodeArguments, ...(options.arguments ?? [])]
  const server = await startServer({ ...command, nodeArguments }, cores, shot)
  const expected = await expectation(shot, 'another, quickly', 0, name)
  if (settleSeconds > 0) await settle(server.pid, shot, expected, settleSeconds, driverCore, name)
  return { name, port, server, shot, expected }
}
