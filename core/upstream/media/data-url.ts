/** What a `data:` URL holds. */
export interface InlineData {
  /** Lower case, without parameters. */
  readonly mediaType: string
  readonly base64: string
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
  return base64 === undefined ? undefined : { mediaType: mediaType.trim().toLowerCase() || 'text/plain', base64 }
}

function encoded(data: string): string | undefined {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64')
  } catch {
    return undefined
  }
}
