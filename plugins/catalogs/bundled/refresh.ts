import type { Readable } from 'node:stream'
import type { Clock, Logger } from '../../../core/index.ts'
import type { HttpClient, UpstreamHeaders } from '../../../core/kit.ts'
import { checkedCatalog } from './read.ts'
import { reasonOf } from './reason.ts'
import { writeSaved, type SavedCatalog } from './saved.ts'

const maxBytes = 16_000_000
const deadlineMs = 30_000
/** The first refresh runs this long after the start, which never waits for it. */
const firstAfterMs = 5_000

export interface RefreshOptions {
  readonly url: string
  readonly everyMs: number
  /** Where the last valid catalog is saved. */
  readonly file: string
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Logger
  readonly onNew: (saved: SavedCatalog) => void
}

/** Regularly fetches a newer catalog. Problems are logged, and the current catalog stays. */
export class Refresh {
  readonly #options: RefreshOptions
  readonly #stopping = new AbortController()
  #saved: SavedCatalog | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(options: RefreshOptions, saved: SavedCatalog | undefined) {
    this.#options = options
    this.#saved = saved
  }

  start(): void {
    const { clock, everyMs } = this.#options
    const due = this.#saved ? this.#saved.checkedAt + everyMs - clock.now() : 0
    this.#schedule(Math.max(firstAfterMs, Math.min(due, everyMs)))
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  /** Fetches once. Never rejects. */
  async now(): Promise<void> {
    try {
      await this.#ask()
    } catch (error) {
      if (this.#stopping.signal.aborted) return
      const { log, url } = this.#options
      log.warn('could not refresh the catalog; keeping the current one', { address: addressOf(url), why: reasonOf(error) })
    }
  }

  #schedule(afterMs: number): void {
    this.#timer = setTimeout(() => {
      this.#running = this.now().then(() => {
        if (!this.#stopping.signal.aborted) this.#schedule(this.#options.everyMs)
      })
    }, afterMs).unref()
  }

  async #ask(): Promise<void> {
    const { url, http, clock, onNew, log } = this.#options
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(deadlineMs)])
    const { status, headers, body } = await http.send({ method: 'GET', url, headers: this.#conditions() }, { signal })
    if (status === 304 && this.#saved) {
      discard(body)
      await this.#keep({ ...this.#saved, checkedAt: clock.now() })
      return
    }
    if (status !== 200) {
      discard(body)
      throw new Error(`expected status 200 or 304, got ${status}`)
    }
    const catalog = checkedCatalog(JSON.parse(await textOf(body, headers)))
    const saved = { url, etag: headers['etag'], lastModified: headers['last-modified'], checkedAt: clock.now(), catalog }
    onNew(saved)
    log.info('refreshed the catalog', { date: catalog.date, models: catalog.models.length })
    await this.#keep(saved)
  }

  async #keep(saved: SavedCatalog): Promise<void> {
    this.#saved = saved
    await writeSaved(this.#options.file, saved)
  }

  #conditions(): Record<string, string> {
    const { etag, lastModified } = this.#saved ?? {}
    return {
      accept: 'application/json',
      ...(etag !== undefined && { 'if-none-match': etag }),
      ...(lastModified !== undefined && { 'if-modified-since': lastModified }),
    }
  }
}

async function textOf(body: Readable, headers: UpstreamHeaders): Promise<string> {
  const tooLarge = new Error(`expected at most ${maxBytes} bytes`)
  if (Number(headers['content-length'] ?? 0) > maxBytes) {
    discard(body)
    throw tooLarge
  }
  const pieces: Uint8Array[] = []
  let length = 0
  // A throw inside the loop destroys the body.
  for await (const piece of body) {
    length += piece.length
    if (length > maxBytes) throw tooLarge
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** Ignores the error of a destroyed body. */
function discard(body: Readable): void {
  body.once('error', () => {}).destroy()
}

/** The URL without parts that may be secret. */
function addressOf(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname
}
