import { parseDataUrl, ProviderFailure, type FilePart, type ImagePart, type Part } from '../../../core/index.ts'

/** What a message of this dialect can hold. */
export interface Content {
  readonly content: string
  /** Base64. */
  readonly images?: readonly string[]
}

/** A user's message or a tool's output. Files of text are told in it. */
export function contentOf(parts: readonly Part[]): Content {
  const images = parts.flatMap(part => (part.type === 'input_image' ? [imageBytes(part)] : []))
  const texts = parts.flatMap(part => (part.type === 'input_image' ? [] : [textIn(part)]))
  return { content: joined(texts), ...(images.length > 0 && { images }) }
}

/** A message that can hold text only. */
export function textOf(parts: readonly Part[]): string {
  return joined(
    parts.map(part => {
      if (part.type === 'input_image' || part.type === 'input_file')
        throw unsayable(`${part.type} can stand in a user message or a tool output only.`)
      return textIn(part)
    }),
  )
}

function textIn(part: Exclude<Part, ImagePart>): string {
  if (part.type === 'input_file') return fileAsText(part)
  return part.type === 'refusal' ? part.refusal : part.text
}

function joined(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n')
}

function imageBytes({ image_url: url }: ImagePart): string {
  if (url === undefined) throw unsayable('input_image has no image_url, and this provider keeps no files that file_id could name.')
  const data = parseDataUrl(url)
  if (!data) throw unsayable('image_url is a data: URL without data. Expected data:image/…;base64,….')
  return data.base64
}

function fileAsText({ filename = 'file', file_data: data }: FilePart): string {
  if (data === undefined)
    throw unsayable(`The file "${filename}" is told by file_id, and this provider keeps no files. Send its file_data.`)
  const { mediaType, base64 } = parseDataUrl(data) ?? { mediaType: '', base64: data }
  const text = isText(mediaType, filename) ? decoded(base64) : undefined
  if (text === undefined)
    throw unsayable(`The file "${filename}" is no text (${mediaType || 'type unknown'}), and this provider takes files of text only.`)
  return `<file name=${JSON.stringify(filename)}>\n${text}\n</file>`
}

const textTypes = /^(text\/|application\/([a-z.+-]*(json|xml|yaml)|toml|javascript|typescript|sql)$)/
const textNames = /\.(txt|md|csv|tsv|json|jsonl|xml|ya?ml|toml|html?|js|ts|py|sql|log|ini)$/i

function isText(mediaType: string, filename: string): boolean {
  return textTypes.test(mediaType) || (/^$|octet-stream/.test(mediaType) && textNames.test(filename))
}

/** Undefined for what is no UTF-8. */
function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

export function unsayable(message: string): ProviderFailure {
  return new ProviderFailure({ kind: 'invalid-request', message })
}
