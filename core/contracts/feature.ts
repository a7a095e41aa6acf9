import type { InputPart, Part } from './items.ts'
import type { GenerationRequest } from './request.ts'

/**
 * What a request may use beyond text. A retention certificate may exclude some of these: docs/protocol/keys-and-policy.md#certificates.
 * `media_urls`: images or files that the vendor or the gateway fetches. `extended_cache`: the vendor keeps the prompt for 24 hours.
 */
export const features = ['tools', 'structured_output', 'images', 'files', 'media_urls', 'web_search', 'extended_cache'] as const
export type Feature = (typeof features)[number]

export function usesFeature(request: GenerationRequest, feature: Feature): boolean {
  switch (feature) {
    case 'tools':
      return request.tools?.some(({ type }) => type !== 'web_search') ?? false
    case 'structured_output':
      return request.text?.format !== undefined && request.text.format.type !== 'text'
    case 'images':
      return somePart(request, ({ type }) => type === 'input_image')
    case 'files':
      return somePart(request, ({ type }) => type === 'input_file')
    case 'media_urls':
      return somePart(request, isFetched)
    case 'web_search':
      return request.tools?.some(({ type }) => type === 'web_search') ?? false
    case 'extended_cache':
      return request.prompt_cache_retention === '24h'
  }
}

type AnyPart = Part | InputPart

function somePart({ input }: GenerationRequest, is: (part: AnyPart) => boolean): boolean {
  return input.some(item => {
    switch (item.type) {
      case 'message':
        return item.content.some(is)
      case 'function_call_output':
      case 'custom_tool_call_output':
        return typeof item.output !== 'string' && item.output.some(is)
      default:
        return false
    }
  })
}

function isFetched(part: AnyPart): boolean {
  if (part.type === 'input_image') return isAddress(part.image_url)
  return part.type === 'input_file' && isAddress(part.file_url)
}

function isAddress(url: unknown): boolean {
  return typeof url === 'string' && /^https?:/i.test(url)
}
