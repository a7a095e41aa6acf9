import type { InputPart, Item, Part } from './items.ts'
import type { GenerationRequest } from './request.ts'

/**
 * Features that a request may use beyond text. A retention certificate may exclude some of these: docs/protocol/keys-and-policy.md#certificates.
 * `media_urls`: images or files that the vendor or the gateway fetches. `extended_cache`: the vendor may keep the prompt
 * for more than an hour.
 */
export const features = ['tools', 'structured_output', 'images', 'files', 'media_urls', 'web_search', 'extended_cache'] as const
/** An entry of `excludes` in a certificate. */
export type Feature = (typeof features)[number]

export function usesFeature(request: GenerationRequest, feature: Feature): boolean {
  switch (feature) {
    case 'tools':
      return (request.tools?.some(({ type }) => type !== 'web_search') ?? false) || request.input.some(bringsTools)
    case 'structured_output':
      return request.text?.format !== undefined && request.text.format.type !== 'text'
    case 'images':
      return somePart(request, ({ type }) => type === 'input_image' || type === 'computer_screenshot')
    case 'files':
      return somePart(request, ({ type }) => type === 'input_file')
    case 'media_urls':
      return somePart(request, isFetched)
    case 'web_search':
      return request.tools?.some(({ type }) => type === 'web_search') ?? false
    case 'extended_cache':
      return request.prompt_cache_retention === '24h' || isLong(request.prompt_cache_options?.ttl) || somePart(request, isKeptLong)
  }
}

function bringsTools({ type }: Item): boolean {
  return type === 'tool_search_output' || type === 'additional_tools'
}

type AnyPart = Part | InputPart | { readonly type: string; readonly image_url?: unknown; readonly file_url?: unknown }

function somePart({ input }: GenerationRequest, is: (part: AnyPart) => boolean): boolean {
  return input.some(item => partsOf(item).some(is))
}

/** The parts of a message or a tool's output. */
export function partsOf(item: Item): readonly AnyPart[] {
  switch (item.type) {
    case 'message':
      return item.content
    case 'function_call_output':
    case 'custom_tool_call_output':
      return typeof item.output === 'string' ? [] : item.output
    case 'computer_call_output':
      return [{ type: 'computer_screenshot', ...(item['output'] as object) }]
    default:
      return []
  }
}

function isFetched(part: AnyPart): boolean {
  return ('image_url' in part && isAddress(part.image_url)) || ('file_url' in part && isAddress(part.file_url))
}

function isAddress(url: unknown): boolean {
  return typeof url === 'string' && !/^data:/i.test(url)
}

function isKeptLong(part: AnyPart): boolean {
  const { prompt_cache_breakpoint: breakpoint } = part as { readonly prompt_cache_breakpoint?: { readonly ttl?: string } }
  return isLong(breakpoint?.ttl)
}

const secondsPer: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 }
const longSeconds = 3_600

/** True if a cache keeps something for more than an hour. Anything that cannot be read counts as long. */
function isLong(ttl: string | undefined): boolean {
  if (ttl === undefined) return false
  const [, count, unit] = /^(\d+)([smh])$/.exec(ttl) ?? []
  return unit === undefined || Number(count) * secondsPer[unit]! > longSeconds
}
