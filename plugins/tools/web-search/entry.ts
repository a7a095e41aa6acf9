import { invalidRequest } from '../../../core/index.ts'
import { type SearchLocation, type ToolEntry, type WebSearchTool, wording, own } from '../../../core/kit.ts'
import { domainOf } from './results.ts'

/** An entry of `tools`, with the defaults filled in. */
export interface SearchEntry {
  readonly engine: 'auto' | 'native' | 'managed'
  /** The caller named an engine. */
  readonly isChosen: boolean
  readonly maxResults: number
  readonly allowedDomains: readonly string[]
  readonly blockedDomains: readonly string[]
  readonly userLocation: SearchLocation | undefined
  /** True if the search may access the web while the model answers. */
  readonly isLive: boolean
}

/** docs/protocol/tools.md#web-search, rule 4. */
const resultsOf = { low: 3, medium: 5, high: 10 } as const

export function readEntry(tool: ToolEntry): SearchEntry {
  const { engine, search_context_size: size = 'medium', filters, user_location: place, external_web_access: live } = tool as WebSearchTool
  return {
    engine: engine?.type ?? 'auto',
    isChosen: engine?.type !== undefined,
    maxResults: resultsOf[size],
    allowedDomains: domains(filters?.allowed_domains, 'allowed_domains'),
    blockedDomains: domains(filters?.blocked_domains, 'blocked_domains'),
    userLocation: place && locationOf(place),
    isLive: live !== false,
  }
}

function domains(listed: readonly string[] | null | undefined, member: string): readonly string[] {
  return (listed ?? []).map(text => {
    const domain = domainOf(text)
    if (domain === undefined)
      throw invalidRequest(wording`Expected domains such as "example.com" in filters.${own(member)}, got "${text.slice(0, 60)}".`, 'tools')
    return domain
  })
}

function locationOf({ country, region, city, timezone }: NonNullable<WebSearchTool['user_location']>): SearchLocation | undefined {
  const code = country?.trim().toUpperCase()
  const place = {
    ...(code && /^[A-Z]{2}$/.test(code) && { country: code }),
    ...(region && { region }),
    ...(city && { city }),
    ...(timezone && { timezone }),
  }
  return Object.keys(place).length > 0 ? place : undefined
}
