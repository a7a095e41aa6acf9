import { ProviderFailure, type FilePart, type ImagePart, type Part } from '../../../core/index.ts'
import type { CacheControl, DocumentBlock, ImageBlock, InputBlock, TextBlock } from './wire.ts'

/** The blocks of a user's message or a tool's output. The vendor refuses blank texts, so they are left out. */
export function inputBlocks(parts: readonly Part[]): readonly InputBlock[] {
  return parts.flatMap((part): readonly InputBlock[] => {
    if (part.type === 'input_image') return [imageBlock(part)]
    if (part.type === 'input_file') return [fileBlock(part)]
    return textBlocks([part])
  })
}

/** The blocks of a message that may hold text only. */
export function textBlocks(parts: readonly Part[]): readonly TextBlock[] {
  return parts.flatMap((part): readonly TextBlock[] => {
    if (part.type === 'input_image' || part.type === 'input_file')
      throw unsayable(`${part.type} can stand in a user message or a tool output only.`)
    const text = part.type === 'refusal' ? part.refusal : part.text
    return text.trim() === '' ? [] : [{ type: 'text', text, ...cacheControl(part) }]
  })
}

function imageBlock(part: ImagePart): ImageBlock {
  const cache = cacheControl(part)
  if (part.file_id !== undefined) return { type: 'image', source: { type: 'file', file_id: part.file_id }, ...cache }
  if (part.image_url === undefined) throw unsayable('input_image has neither image_url nor file_id.')
  const data = dataUrl(part.image_url)
  if (!data) return { type: 'image', source: { type: 'url', url: part.image_url }, ...cache }
  return { type: 'image', source: { type: 'base64', media_type: imageType(data.mediaType), data: data.base64 }, ...cache }
}

function fileBlock(part: FilePart): DocumentBlock | ImageBlock {
  const cache = cacheControl(part)
  const title = part.filename === undefined ? {} : { title: part.filename }
  if (part.file_id !== undefined) return { type: 'document', ...title, source: { type: 'file', file_id: part.file_id }, ...cache }
  if (part.file_url !== undefined) return { type: 'document', ...title, source: { type: 'url', url: part.file_url }, ...cache }
  if (part.file_data === undefined) throw unsayable('input_file has neither file_data nor file_url nor file_id.')
  const data = dataUrl(part.file_data) ?? { mediaType: '', base64: part.file_data }
  const mediaType = data.mediaType && data.mediaType !== 'application/octet-stream' ? data.mediaType : typeByName(part.filename)
  if (mediaType === 'application/pdf')
    return { type: 'document', ...title, source: { type: 'base64', media_type: mediaType, data: data.base64 }, ...cache }
  if (mediaType.startsWith('image/'))
    return { type: 'image', source: { type: 'base64', media_type: imageType(mediaType), data: data.base64 }, ...cache }
  if (!isText(mediaType)) throw unsayable(`input_file of type ${mediaType} cannot be sent to this provider: it reads PDF, text and images.`)
  const text = Buffer.from(data.base64, 'base64').toString('utf8')
  return { type: 'document', ...title, source: { type: 'text', media_type: 'text/plain', data: text }, ...cache }
}

/** Undefined for an address that has to be fetched. */
function dataUrl(url: string): { readonly mediaType: string; readonly base64: string } | undefined {
  if (!/^data:/i.test(url)) return undefined
  const comma = url.indexOf(',')
  if (comma < 0) throw unsayable('A data: URL has no comma between its type and its data.')
  const [mediaType = '', ...parameters] = url.slice('data:'.length, comma).split(';')
  const data = url.slice(comma + 1)
  const isBase64 = parameters.some(parameter => parameter.trim().toLowerCase() === 'base64')
  return { mediaType: mediaType.trim().toLowerCase() || 'text/plain', base64: isBase64 ? data : encoded(data) }
}

function encoded(data: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString('base64')
  } catch (cause) {
    throw unsayable('A data: URL is neither base64 nor percent-encoded.', cause)
  }
}

function imageType(mediaType: string): string {
  return mediaType === 'image/jpg' ? 'image/jpeg' : mediaType
}

const typesByExtension: Readonly<Record<string, string>> = {
  pdf: 'application/pdf',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  txt: 'text/plain',
  md: 'text/markdown',
  csv: 'text/csv',
  html: 'text/html',
  xml: 'text/xml',
  json: 'application/json',
  yaml: 'application/yaml',
  yml: 'application/yaml',
}

/** Files without a type and with an unknown name are taken for PDF, as those with neither mostly are. */
function typeByName(filename: string | undefined): string {
  const extension = /\.([a-z0-9]+)$/i.exec(filename ?? '')?.[1]?.toLowerCase()
  if (extension === undefined) return 'application/pdf'
  return typesByExtension[extension] ?? `unknown (.${extension})`
}

function isText(mediaType: string): boolean {
  return /^text\/|^application\/([a-z.+-]*json|[a-z.+-]*xml|yaml|x-yaml|toml|javascript|typescript|sql)$/.test(mediaType)
}

export function cacheControl(part: object): CacheControl {
  const { cache_control: control } = part as CacheControl
  return control ? { cache_control: control } : {}
}

export function unsayable(message: string, cause?: unknown): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message, ...(cause !== undefined && { cause }) })
}
