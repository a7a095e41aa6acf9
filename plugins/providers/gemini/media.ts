import { ProviderFailure } from '../../../core/index.ts'

export interface MediaBytes {
  readonly mimeType: string
  /** Base64. */
  readonly data: string
}

/** What a `data:` URL holds; undefined for an address that has to be fetched. */
export function bytesOf(url: string): MediaBytes | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  if (comma < 0) throw new ProviderFailure({ kind: 'invalid-request', message: 'A data: URL has no comma between its type and its data.' })
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const mimeType = mediaType.trim().toLowerCase()
  const data = url.slice(comma + 1)
  const isBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64')
  return { mimeType: mimeType === 'image/jpg' ? 'image/jpeg' : mimeType || 'text/plain', data: isBase64 ? data : encoded(data) }
}

function encoded(data: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64')
  } catch (cause) {
    throw new ProviderFailure({ kind: 'invalid-request', message: 'A data: URL is neither base64 nor percent-encoded.', cause })
  }
}

/** "Image understanding", "Document understanding", "Audio understanding", "Video understanding": supported types. */
const typesByExtension: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  heic: 'image/heic',
  heif: 'image/heif',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'text/xml',
  rtf: 'text/rtf',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  wav: 'audio/wav',
  mp3: 'audio/mp3',
  aiff: 'audio/aiff',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  flac: 'audio/flac',
  m4a: 'audio/m4a',
  mp4: 'video/mp4',
  mpeg: 'video/mpeg',
  mpg: 'video/mpeg',
  mov: 'video/quicktime',
  webm: 'video/webm',
}

/** By the extension of a file's name or address. */
export function mediaTypeByName(name: string): string | undefined {
  const extension = /\.([a-z0-9]+)(?:[?#].*)?$/i.exec(name)?.[1]?.toLowerCase()
  return extension === undefined ? undefined : typesByExtension[extension]
}
