import type { Part } from '../../contracts/parts.ts'
import { unsayable } from '../provider-failures.ts'

/** What a `data:` URL holds. */
export interface InlineData {
  /** Lower case, without parameters. */
  readonly mediaType: string
  readonly base64: string
}

/** Undefined for what is no `data:` URL: an address, or base64 alone. Throws `ProviderFailure` for one that cannot be read, which `part` holds. */
export function inlineDataOf(url: string, part?: Part): InlineData | undefined {
  const data = parseDataUrl(url)
  if (data || !/^data:/i.test(url)) return data
  throw unsayable(
    'A data: URL has no comma before its data, or is neither base64 nor percent-encoded. Expected data:<type>;base64,<data>.',
    part,
  )
}

/** Undefined for any other URL, and for a `data:` URL that is none: without a comma, or badly percent-encoded. */
export function parseDataUrl(url: string): InlineData | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  if (comma < 0) return undefined
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const data = url.slice(comma + 1)
  const isBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64')
  const base64 = isBase64 ? data : encoded(data)
  return base64 === undefined ? undefined : { mediaType: named(mediaType.trim().toLowerCase()), base64 }
}

/** Nothing means text, and one wrong name is common. */
function named(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType || 'text/plain'
}

function encoded(data: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64')
  } catch {
    return undefined
  }
}
