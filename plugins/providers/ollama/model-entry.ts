import type { Capabilities, CatalogEntry } from '../../../core/index.ts'
import { takesLevels } from './models.ts'

/** An entry of `GET /api/tags`, "List models". Any member may be missing. */
export interface WireModel {
  readonly name?: string
  readonly digest?: string
  readonly modified_at?: string
  /** The host that runs the model, if not this server. */
  readonly remote_host?: string
}

export interface EntryOptions {
  readonly provider: string
  readonly contextWindow: number | undefined
}

/** The catalog entry of a model that can chat, unlike an embedding model. Local models cost nothing per token. */
export function entryOf(
  { name, modified_at: modified, remote_host: remote }: WireModel,
  capabilities: readonly string[] | undefined,
  { provider, contextWindow }: EntryOptions,
): CatalogEntry | undefined {
  if (!name || (capabilities && !capabilities.includes('completion'))) return undefined
  const created = Math.floor(Date.parse(modified ?? '') / 1000)
  return {
    model: name,
    // The server adds this tag itself.
    aliases: name.endsWith(':latest') ? [name.slice(0, -':latest'.length)] : [],
    created: Number.isFinite(created) ? created : 0,
    auto: false,
    endpoints: [
      {
        provider,
        upstreamModel: name,
        capabilities: capabilities ? capabilitiesFrom(name, capabilities) : {},
        ...(remote === undefined && { price: { input: 0, output: 0 } }),
        ...(contextWindow !== undefined && { contextWindow }),
      },
    ],
  }
}

function capabilitiesFrom(name: string, told: readonly string[]): Capabilities {
  const levels = takesLevels({ upstreamModel: name, model: name })
  return {
    tools: told.includes('tools'),
    images: told.includes('vision'),
    ...(!told.includes('thinking') && { efforts: ['none'] }),
    ...(told.includes('thinking') && levels && { efforts: ['low', 'medium', 'high'] }),
  }
}
