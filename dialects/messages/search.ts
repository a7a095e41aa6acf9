import type { UpstreamRequestBody, WebSearchTool } from '../../core/kit.ts'
import type { Warn } from './settings.ts'
import type { SearchTool } from './wire.ts'

/** The entry of the request that searches. Core leaves it in only for models that have a search. */
export function searchEntry({ tools }: UpstreamRequestBody): WebSearchTool | undefined {
  return tools?.find(({ type }) => type === 'web_search') as WebSearchTool | undefined
}

/** The search in the vendor's form. */
export function searchTool({ filters, user_location: location }: WebSearchTool, maxUses: number | undefined): SearchTool {
  const { allowed_domains, blocked_domains } = filters ?? {}
  const { city, region, country, timezone } = location ?? {}
  const place = { ...(city && { city }), ...(region && { region }), ...(country && { country }), ...(timezone && { timezone }) }
  return {
    type: 'web_search_20250305',
    name: 'web_search',
    ...(maxUses !== undefined && { max_uses: maxUses }),
    ...(allowed_domains?.length ? { allowed_domains } : blocked_domains?.length ? { blocked_domains } : {}),
    ...(Object.keys(place).length > 0 && { user_location: { type: 'approximate', ...place } }),
  }
}

/** Warns about settings that the vendor's search does not have. */
export function warnOfSearch({ search_context_size: size, filters }: WebSearchTool, warn: Warn): void {
  if (size !== undefined && size !== 'medium') warn('tools', "This vendor's web search does not support search_context_size.")
  if (filters?.allowed_domains?.length && filters.blocked_domains?.length)
    warn('tools', "This vendor's web search does not support blocked_domains together with allowed_domains.")
}
