import type { Item, ProviderCall } from '../../../core/index.ts'
import { extensionOf, fileTypeOf, InlineMedia, type HttpClient, type Part } from '../../../core/kit.ts'
import type { LanguageModel } from './specification.ts'

/** Fetches what this model's vendor does not fetch itself: all images or none, all files or none. */
export async function inlineMedia(call: ProviderCall, model: LanguageModel, http: HttpClient): Promise<InlineMedia | undefined> {
  const inMessages = call.request.input.flatMap(item => (item.type === 'message' ? item.content : [])).flatMap(urlOf)
  const inResults = call.request.input.flatMap(partsOfResult).flatMap(urlOf)
  if (inMessages.length === 0 && inResults.length === 0) return undefined
  const supported = await model.supportedUrls
  const places = (kind: Named['kind']): 'url' | 'inline' => {
    const named = inMessages.filter(each => each.kind === kind)
    // Older specifications do not allow URLs in tool results.
    const fits = !inResults.some(each => each.kind === kind) && named.every(each => isSupported(each, supported))
    return fits ? 'url' : 'inline'
  }
  return InlineMedia.fetch(call, { images: places('image'), files: places('file') }, http)
}

interface Named {
  readonly kind: 'image' | 'file'
  readonly url: string
  readonly mediaType: string
}

function urlOf(part: Part): readonly Named[] {
  if (part.type === 'input_image' && part.image_url !== undefined && !/^data:/i.test(part.image_url))
    return [{ kind: 'image', url: part.image_url, mediaType: 'image/*' }]
  if (part.type === 'input_file' && part.file_url !== undefined)
    return [{ kind: 'file', url: part.file_url, mediaType: typeByName(part.file_url) }]
  return []
}

function partsOfResult(item: Item): readonly Part[] {
  return item.type === 'function_call_output' && typeof item.output !== 'string' ? item.output : []
}

/** `supported`: the URLs that the vendor fetches, by media type or pattern with `*`. Compares in lower case. */
function isSupported({ url, mediaType }: Named, supported: Readonly<Record<string, readonly RegExp[]>>): boolean {
  return Object.entries(supported).some(([type, patterns]) => {
    const prefix = type.toLowerCase().replace(/\*.*$/, '')
    return (
      mediaType.startsWith(prefix) &&
      patterns.some(pattern => new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, '')).test(url.toLowerCase()))
    )
  })
}

/** The media type for a file name or URL. A file without an extension is probably a PDF. */
export function typeByName(name: string | undefined): string {
  return fileTypeOf(name) ?? (extensionOf(name) === undefined ? 'application/pdf' : 'application/octet-stream')
}
