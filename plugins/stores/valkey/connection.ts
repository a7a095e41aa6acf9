import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock, Logger } from '../../../core/index.ts'
import { openClient, type Client, type ClientOptions } from './client.ts'
import { Keys } from './keys.ts'
import { partsOfCluster } from './parts.ts'
import type { Script } from './script.ts'
import { everyScript } from './scripts/every.ts'
import { generationScript, policyScript } from './scripts/server.ts'
import { titleOf } from './place.ts'
import { causeOf, OldServer, Stalled, Trouble, Unreachable } from './trouble.ts'

export interface ConnectionOptions extends Omit<ClientOptions, 'redis'> {
  readonly keys: Keys
  readonly answerTimeoutMs: number
}

const longestWaitMs = 2_000
const shortestWaitMs = 50
/** A connection that lasted as long was a good one: the next one is opened at once. */
const goodAfterMs = 5_000
const watchMs = 250

/**
 * The connection to the server. It is opened again and again, with growing pauses, until it is closed. Meanwhile every command is rejected at
 * once: nothing waits for the server to come back.
 */
export class Connection {
  readonly #options: ConnectionOptions
  readonly #clock: Clock
  readonly #log: Logger
  readonly #trouble: Trouble
  /** When each command was sent that has no answer yet, the oldest first. */
  readonly #waiting = new Set<{ readonly since: number }>()
  readonly #channels: (readonly [channel: string, listener: (message: string) => void])[] = []
  readonly #readyListeners: (() => void)[] = []
  readonly #stopping = new AbortController()
  #client: Client | undefined
  #lose: ((error: Error) => void) | undefined
  #tried = Promise.withResolvers<void>()
  #watching: NodeJS.Timeout | undefined
  #wasReady = false
  #hasToldPolicy = false

  constructor(options: ConnectionOptions, clock: Clock, log: Logger) {
    this.#options = options
    this.#clock = clock
    this.#log = log
    this.#trouble = new Trouble(log, clock, options.place)
  }

  get isCluster(): boolean {
    return this.#options.place.kind === 'cluster'
  }

  get isClosed(): boolean {
    return this.#stopping.signal.aborted
  }

  get isReady(): boolean {
    return this.#client !== undefined
  }

  /** Names in braces that lead to all nodes of a cluster. */
  get parts(): readonly string[] {
    return this.isCluster ? partsOfCluster : ['processes']
  }

  /** Call before `open`. */
  subscribe(channel: string, listener: (message: string) => void): void {
    this.#channels.push([channel, listener])
  }

  /** Calls back whenever a connection was opened. */
  onReady(listener: () => void): void {
    this.#readyListeners.push(listener)
  }

  /** Returns after the first try, or after `waitMs`. The connection is opened in any case. */
  async open(waitMs: number): Promise<void> {
    void this.#keepOpen()
    this.#watching = setInterval(() => this.#watch(), watchMs).unref()
    await Promise.race([this.#tried.promise, sleep(waitMs, undefined, { ref: false })])
  }

  close(): void {
    clearInterval(this.#watching)
    this.#stopping.abort()
    this.#lose?.(new Unreachable())
  }

  /** Resolves a little later, when there is a connection, or after `waitMs`. */
  async ready(waitMs: number): Promise<void> {
    const until = this.#clock.elapsed() + waitMs
    await sleep(shortestWaitMs, undefined, { ref: false })
    while (!this.#client && this.#clock.elapsed() < until && !this.#stopping.signal.aborted)
      await sleep(shortestWaitMs, undefined, { ref: false })
  }

  /** The first key says where a cluster runs the script. */
  async run({ source, sha1 }: Script, keys: readonly string[], values: readonly string[]): Promise<unknown> {
    const rest = [String(keys.length), ...keys, ...values]
    try {
      return await this.send(keys[0]!, ['EVALSHA', sha1, ...rest])
    } catch (error) {
      if (!(error as Error).message?.startsWith('NOSCRIPT')) throw error
      return await this.send(keys[0]!, ['EVAL', source, ...rest])
    }
  }

  async send(key: string, command: readonly string[]): Promise<unknown> {
    const client = this.#client
    if (!client) throw new Unreachable()
    return await this.#answered(client, key, command)
  }

  async #answered(client: Client, key: string, command: readonly string[]): Promise<unknown> {
    const waiting = { since: this.#clock.elapsed() }
    this.#waiting.add(waiting)
    try {
      return await client.send(key, command)
    } catch (error) {
      this.#failed(client, error)
      throw error
    } finally {
      this.#waiting.delete(waiting)
    }
  }

  /** Broken connections are reported where they are noticed. */
  #failed(client: Client, error: unknown): void {
    if (!/^(?!NOSCRIPT)[A-Z]{3,} /.test((error as Error).message) || this.#client !== client) return
    if (this.#trouble.report(error).reconnect) this.#lose?.(error as Error)
  }

  #watch(): void {
    const [oldest] = this.#waiting
    if (!oldest || this.#clock.elapsed() - oldest.since <= this.#options.answerTimeoutMs) return
    // If this process was busy, the answer is here, and is read before this is called.
    setImmediate(() => {
      if (this.#waiting.has(oldest)) this.#lose?.(new Stalled(this.#silence))
    })
  }

  get #silence(): string {
    return `it has not answered for ${this.#options.answerTimeoutMs} ms`
  }

  async #keepOpen(): Promise<void> {
    for (let failures = 0; !this.#stopping.signal.aborted; failures++) {
      const begin = this.#clock.elapsed()
      this.#wasReady = false
      try {
        await this.#session()
      } catch (error) {
        if (!this.#stopping.signal.aborted) this.#trouble.report(error)
      }
      this.#tried.resolve()
      if (this.#wasReady) failures = this.#clock.elapsed() - begin > goodAfterMs ? 0 : Math.min(failures, 2)
      const waitMs = Math.min(longestWaitMs, shortestWaitMs * 2 ** Math.min(failures, 10)) * (0.5 + Math.random() / 2)
      await sleep(waitMs, undefined, { ref: false, signal: this.#stopping.signal }).catch(() => {})
    }
  }

  /** Opens a connection, and throws why it ended. */
  async #session(): Promise<void> {
    const redis = await import('@redis/client')
    const ended = Promise.withResolvers<Error>()
    this.#lose = ended.resolve
    const { client, connected } = openClient({ ...this.#options, redis }, ended.resolve)
    const timeLimit = setTimeout(
      () => ended.resolve(new Stalled(this.#silence)),
      this.#options.connectTimeoutMs + this.#options.answerTimeoutMs,
    )
    const opened = async (): Promise<void> => {
      await connected()
      const version = await this.#check(client)
      for (const [channel, listener] of this.#channels) await client.subscribe(channel, listener)
      clearTimeout(timeLimit)
      this.#client = client
      this.#wasReady = true
      this.#trouble.over(version)
      this.#tried.resolve()
      for (const listener of this.#readyListeners) listener()
    }
    try {
      opened().catch((error: Error) => ended.resolve(error))
      throw await ended.promise
    } finally {
      clearTimeout(timeLimit)
      this.#client = undefined
      this.#waiting.clear()
      client.destroy()
    }
  }

  /** Throws if the server cannot be used. Returns its version. */
  async #check(client: Client): Promise<string> {
    const keys = this.#options.keys.generation(this.parts[0]!)
    const ask = async (script: Script, ...values: readonly string[]): Promise<unknown> =>
      await this.#answered(client, keys[0], ['EVAL', script.source, '2', ...keys, ...values])
    const [, , , version] = (await ask(generationScript, crypto.randomUUID(), '0', '0', '0')) as [string, number, number, string]
    if (!(Number.parseInt(version, 10) >= 7)) throw new OldServer(`it is older than version 7${version && `: ${version}`}`)
    this.#warnOfEviction(String(await ask(policyScript).catch(() => '')))
    // A script that is not there yet would run later than those that were sent after it.
    await Promise.allSettled(everyScript.map(({ source }) => client.sendToAll(['SCRIPT', 'LOAD', source])))
    return version
  }

  #warnOfEviction(policy: string): void {
    if (this.#hasToldPolicy || policy === '' || policy === 'noeviction') return
    this.#hasToldPolicy = true
    this.#log.warn(
      `Valkey at ${titleOf(this.#options.place)} may delete limits and leases when its memory is full, because its maxmemory-policy is ${policy}. Set it to noeviction`,
    )
  }
}

/** True if the server may have applied the command, or may still do so. It is safe to repeat only what has a number. */
export function mayRepeat(error: unknown): boolean {
  return causeOf(error).mayRepeat === true
}
