import type { Part } from '../../contracts/parts.ts'
import { unsayable } from '../provider-failures.ts'

/** The content of a `data:` URL. */
export interface InlineData {
  /** Lower case, without parameters. */
  readonly mediaType: string
  /** Also where the URL had percent-encoding. */
  readonly base64: string
}

/** The data of a `data:` URL. Undefined for an address or plain base64. Throws `ProviderFailure` about `part` if it cannot be decoded. */
export function inlineDataOf(url: string, part?: Part): InlineData | undefined {
  const data = parseDataUrl(url)
  if (data || !/^data:/i.test(url)) return data
  throw unsayable('A data: URL is malformed. Expected data:<type>;base64,<data>.', part)
}

/** The data of a `data:` URL. Undefined for any other URL, and for a malformed one: without a comma, or with bad percent-encoding. */
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

/** No type means text, and `image/jpg` is a common mistake. */
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
