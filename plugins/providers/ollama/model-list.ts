import type { CatalogEntry, CatalogSource, Logger } from '../../../core/index.ts'
import { describeError, type HttpClient } from '../../../core/kit.ts'
import { entryOf, type WireModel } from './model-entry.ts'
import { askJson } from './ask-json.ts'

const deadlineMs = 10_000

export interface ModelListOptions {
  /** The provider's id. */
  readonly provider: string
  /** The server's address. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly everyMs: number
  /** The window to load every model with. Undefined: each model's own. */
  readonly contextWindow: number | undefined
  readonly http: HttpClient
  readonly log: Logger
}

/** Lists the server's models at an interval. If the server does not answer, the list stays unchanged. */
export class ModelList implements CatalogSource {
  readonly name: string
  readonly #options: ModelListOptions
  readonly #stopping = new AbortController()
  /** Capabilities by model name and digest, each fetched once. */
  readonly #capabilities = new Map<string, readonly string[]>()
  #entries: readonly CatalogEntry[] = []
  #changed: (() => void) | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #isReachable = true

  constructor(options: ModelListOptions) {
    this.#options = options
    this.name = options.provider
  }

  entries(): readonly CatalogEntry[] {
    return this.#entries
  }

  onChange(changed: () => void): void {
    this.#changed = changed
  }

  /** Does not wait for the first answer. */
  start(): void {
    this.#running = this.refresh().then(() => {
      if (!this.#stopping.signal.aborted) this.#timer = setTimeout(() => this.start(), this.#options.everyMs).unref()
    })
  }

  async stop(): Promise<void> {
    clearTimeout(this.#timer)
    this.#stopping.abort()
    await this.#running
  }

  /** Asks once. Never rejects. */
  async refresh(): Promise<void> {
    try {
      const entries = await this.#ask()
      this.#isReachable = true
      if (JSON.stringify(entries) === JSON.stringify(this.#entries)) return
      this.#entries = entries
      this.#changed?.()
    } catch (error) {
      if (this.#stopping.signal.aborted || !this.#isReachable) return
      this.#isReachable = false
      this.#options.log.warn("could not list the server's models; requests that name a model still work", describeError(error))
    }
  }

  async #ask(): Promise<readonly CatalogEntry[]> {
    const { models } = (await this.#fetch('GET', '/api/tags')) as { readonly models?: unknown }
    if (!Array.isArray(models)) throw new Error('expected a list of models at /api/tags')
    const entries: CatalogEntry[] = []
    for (const model of models as readonly WireModel[]) {
      const capabilities = await this.#capabilitiesOf(model)
      const entry = entryOf(model, capabilities, this.#options)
      if (entry) entries.push(entry)
    }
    return entries
  }

  /** The model's capabilities. Older servers do not report them. */
  async #capabilitiesOf({ name, digest }: WireModel): Promise<readonly string[] | undefined> {
    const key = `${name} ${digest}`
    const known = this.#capabilities.get(key)
    if (known || name === undefined) return known
    const { capabilities } = (await this.#fetch('POST', '/api/show', { model: name })) as { readonly capabilities?: unknown }
    if (!Array.isArray(capabilities)) return undefined
    this.#capabilities.set(key, capabilities as readonly string[])
    return capabilities as readonly string[]
  }

  #fetch(method: 'GET' | 'POST', path: string, body?: object): Promise<object> {
    const { http, baseUrl, headers } = this.#options
    const signal = AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(deadlineMs)])
    return askJson(http, { method, url: `${baseUrl}${path}`, headers, ...(body && { body: JSON.stringify(body) }) }, signal)
  }
}
