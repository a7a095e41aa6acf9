import type { JsonObject } from '../../core/index.ts'
import { countryName, type UpstreamRequestBody, type WebSearchTool } from '../../core/kit.ts'
import type { ChatHost } from './chat-host.ts'

/** The forms in which hosts take a search. */
export const searchForms = ['search_settings', 'server_tool', 'web_search_options', 'web_search_options_nested'] as const
/** How a request asks for a search: a member of the request, or `server_tool`, an entry of `tools`. */
export type SearchForm = (typeof searchForms)[number]

interface Asked {
  readonly size: string | undefined
  readonly allowed: readonly string[]
  readonly blocked: readonly string[]
  readonly location: WebSearchTool['user_location']
}

/** The entry of the request that searches. Core leaves it in only for models that have a search. */
export function searchEntry({ tools }: UpstreamRequestBody): WebSearchTool | undefined {
  return tools?.find(({ type }) => type === 'web_search') as WebSearchTool | undefined
}

/** A tool that the host runs. Undefined for hosts that take the search as other members. */
export function searchTool(request: UpstreamRequestBody, { search }: ChatHost): JsonObject | undefined {
  const entry = searchEntry(request)
  if (!entry || search?.form !== 'server_tool') return undefined
  const { size, allowed, blocked, location } = askedBy(entry)
  const parameters = {
    ...(size && { search_context_size: size }),
    ...(allowed.length > 0 ? { allowed_domains: allowed } : blocked.length > 0 && { excluded_domains: blocked }),
    ...(location && { user_location: { type: 'approximate', ...placeOf(location) } }),
    ...(request.max_tool_calls !== undefined && { max_uses: request.max_tool_calls }),
  }
  return { type: 'openrouter:web_search', ...(Object.keys(parameters).length > 0 && { parameters }) }
}

/** The most domains in Perplexity's filter. */
const maxDomains = 20

/** The members of the request that steer a search. */
export function searchMembers(request: UpstreamRequestBody, { search }: ChatHost): JsonObject {
  const entry = searchEntry(request)
  if (!entry || !search) return {}
  const { size, allowed, blocked, location } = askedBy(entry)
  const place = placeOf(location)
  switch (search.form) {
    case 'web_search_options': {
      const domains = allowed.length > 0 ? allowed : blocked.map(domain => `-${domain}`)
      const { timezone: _, ...known } = place
      const options = { ...(size && { search_context_size: size }), ...(Object.keys(known).length > 0 && { user_location: known }) }
      return {
        ...(Object.keys(options).length > 0 && { web_search_options: options }),
        ...(domains.length > 0 && { search_domain_filter: domains.slice(0, maxDomains) }),
      }
    }
    case 'web_search_options_nested':
      return {
        web_search_options: {
          ...(size && { search_context_size: size }),
          ...(Object.keys(place).length > 0 && { user_location: { type: 'approximate', approximate: place } }),
        },
      }
    case 'search_settings': {
      const country = place.country && countryName(place.country.toUpperCase())?.toLowerCase()
      const settings = {
        ...(allowed.length > 0 && { include_domains: allowed }),
        ...(blocked.length > 0 && { exclude_domains: blocked }),
        ...(country && { country }),
      }
      return Object.keys(settings).length > 0 ? { search_settings: settings } : {}
    }
    case 'server_tool':
      return {}
  }
}

/** Warns about settings that the host's search does not have. */
export function warnOfSearch(request: UpstreamRequestBody, { search }: ChatHost, warn: (param: string, message: string) => void): void {
  const entry = searchEntry(request)
  if (!entry || !search) return
  const { size, allowed, blocked } = askedBy(entry)
  const drop = (what: string): void => warn('tools', `${what} is not supported by this provider's search and was left out`)
  if (search.form === 'search_settings' && size !== undefined) drop('search_context_size')
  if (search.form === 'web_search_options_nested' && allowed.length + blocked.length > 0) drop('filters')
  const isEither = search.form === 'web_search_options' || search.form === 'server_tool'
  if (isEither && allowed.length > 0 && blocked.length > 0) drop('blocked_domains together with allowed_domains')
  if (search.form === 'web_search_options' && Math.max(allowed.length, blocked.length) > maxDomains)
    drop(`a domain beyond the first ${maxDomains}`)
}

function askedBy({ search_context_size: size, filters, user_location: location }: WebSearchTool): Asked {
  return { size, allowed: filters?.allowed_domains ?? [], blocked: filters?.blocked_domains ?? [], location }
}

type Place = { readonly country?: string; readonly region?: string; readonly city?: string; readonly timezone?: string }

function placeOf({ country, region, city, timezone }: NonNullable<WebSearchTool['user_location']> = {}): Place {
  return { ...(country && { country }), ...(region && { region }), ...(city && { city }), ...(timezone && { timezone }) }
}
