import type { CatalogEntry, CatalogSource, Logger } from '../../core/index.ts'
import { askJson, PolledCatalog, type HttpClient, type UpstreamRequest } from '../../core/kit.ts'
import { urlAt } from './host-connection.ts'
import type { HostModel, ModelListTable } from './host-place.ts'
import { memberPath, valueAt } from './member-path.ts'

/** The models in a host's table. */
export function hostModels(provider: string, models: Readonly<Record<string, HostModel>>): CatalogSource {
  const entries = Object.entries(models).map(([model, { aliases, family, created, ownedBy, ...endpoint }]): CatalogEntry => ({
    model,
    ...(aliases && { aliases }),
    ...(family !== undefined && { family }),
    ...(created !== undefined && { created }),
    ...(ownedBy !== undefined && { ownedBy }),
    endpoints: [{ ...endpoint, provider }],
  }))
  return {
    name: `models of ${provider}`,
    summary: () => `${entries.length} ${entries.length === 1 ? 'model' : 'models'}`,
    entries: () => entries,
  }
}

export interface ListedModelsOptions {
  readonly provider: string
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly table: ModelListTable
  /** Adds the credential. */
  readonly authorize: (request: UpstreamRequest, signal: AbortSignal) => UpstreamRequest | PromiseLike<UpstreamRequest>
  readonly http: HttpClient
  readonly log: Logger
}

const defaultEverySeconds = 3600
const deadlineMs = 10_000

/** The models that a host lists. */
export function listedModels({ provider, baseUrl, headers, table, authorize, http, log }: ListedModelsOptions): PolledCatalog {
  const { path, at = 'data', everySeconds = defaultEverySeconds } = table
  const request: UpstreamRequest = { method: 'GET', url: urlAt(baseUrl, path), headers }
  return new PolledCatalog({
    name: `list of ${provider}`,
    everyMs: everySeconds * 1000,
    log,
    async list(stopping) {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(deadlineMs)])
      const body = await askJson(http, await authorize(request, signal), signal)
      const models = Array.isArray(body) ? (body as readonly unknown[]) : valueAt(body, memberPath(at))
      if (!Array.isArray(models)) throw new Error(`expected a list of models in the member ${at} of ${path}`)
      return models.flatMap(model => entryOf(model, provider, table))
    },
  })
}

function entryOf(
  model: unknown,
  provider: string,
  { name = 'id', contextWindow, maxOutputTokens }: ModelListTable,
): readonly CatalogEntry[] {
  const id = valueAt(model, memberPath(name))
  if (typeof id !== 'string' || id === '') return []
  const limit = (path: string | undefined): number | undefined => {
    const value = path === undefined ? undefined : valueAt(model, memberPath(path))
    return Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined
  }
  const window = limit(contextWindow)
  const output = limit(maxOutputTokens)
  const endpoint = {
    provider,
    ...(window !== undefined && { contextWindow: window }),
    ...(output !== undefined && { maxOutputTokens: output }),
  }
  return [{ model: id, auto: false, endpoints: [{ ...endpoint, upstreamModel: id }] }]
}
