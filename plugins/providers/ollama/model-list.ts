import type { CatalogEntry, Logger } from '../../../core/index.ts'
import { askJson, PolledCatalog, type HttpClient } from '../../../core/kit.ts'
import { entryOf, type WireModel } from './model-entry.ts'

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

/** Lists the server's models at an interval. */
export function modelList(options: ModelListOptions): PolledCatalog {
  const { provider: name, everyMs, log } = options
  const asking = new Asking(options)
  return new PolledCatalog({ name, everyMs, log, list: signal => asking.entries(signal) })
}

class Asking {
  readonly #options: ModelListOptions
  /** Capabilities by model name and digest, each fetched once. */
  readonly #capabilities = new Map<string, readonly string[]>()

  constructor(options: ModelListOptions) {
    this.#options = options
  }

  async entries(stopping: AbortSignal): Promise<readonly CatalogEntry[]> {
    const { models } = (await this.#fetch(stopping, 'GET', '/api/tags')) as { readonly models?: unknown }
    if (!Array.isArray(models)) throw new Error('expected a list of models at /api/tags')
    const entries: CatalogEntry[] = []
    for (const model of models as readonly WireModel[]) {
      const capabilities = await this.#capabilitiesOf(model, stopping)
      const entry = entryOf(model, capabilities, this.#options)
      if (entry) entries.push(entry)
    }
    return entries
  }

  /** The model's capabilities. Older servers do not report them. */
  async #capabilitiesOf({ name, digest }: WireModel, stopping: AbortSignal): Promise<readonly string[] | undefined> {
    const key = `${name} ${digest}`
    const known = this.#capabilities.get(key)
    if (known || name === undefined) return known
    const { capabilities } = (await this.#fetch(stopping, 'POST', '/api/show', { model: name })) as { readonly capabilities?: unknown }
    if (!Array.isArray(capabilities)) return undefined
    this.#capabilities.set(key, capabilities as readonly string[])
    return capabilities as readonly string[]
  }

  #fetch(stopping: AbortSignal, method: 'GET' | 'POST', path: string, body?: object): Promise<object> {
    const { http, baseUrl, headers } = this.#options
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)])
    return askJson(http, { method, url: `${baseUrl}${path}`, headers, ...(body && { body: JSON.stringify(body) }) }, signal)
  }
}
