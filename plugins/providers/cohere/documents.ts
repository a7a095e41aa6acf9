import { parseDataUrl, ProviderFailure, type FilePart, type Item, type Part } from '../../../core/index.ts'
import type { Document } from './wire.ts'

/** The files of a conversation, which the vendor takes as documents beside it ("Retrieval Augmented Generation"): text only. */
export function documentsIn(items: readonly Item[]): readonly Document[] {
  return items
    .flatMap(partsOf)
    .filter(part => part.type === 'input_file')
    .map(documentOf)
}

/** Where documents are excluded a file is told in the message that it came with. */
export function fileAsText(file: FilePart): string {
  const { title, text } = documentOf(file, 0).data
  return `<document title=${JSON.stringify(title)}>\n${text}\n</document>`
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === 'message') return item.content
  return item.type === 'function_call_output' && typeof item.output === 'object' ? item.output : []
}

function documentOf({ filename = 'file', file_data: data }: FilePart, index: number): Document {
  if (data === undefined)
    throw unsayable(`The file "${filename}" is told by file_id, and this provider keeps no files. Send its file_data.`)
  const { mediaType, base64 } = parseDataUrl(data) ?? { mediaType: '', base64: data }
  const text = isText(mediaType, filename) ? decoded(base64) : undefined
  if (text === undefined)
    throw unsayable(`The file "${filename}" is no text (${mediaType || 'type unknown'}), and this provider takes files of text only.`)
  return { id: `file_${index}`, data: { title: filename, text } }
}

/** Which of the conversation's files has this id. */
export function positionOf(id: string): number {
  return Number(/^file_(\d+)$/.exec(id)?.[1] ?? 0)
}

const textTypes = /^(text\/|application\/([a-z.+-]*(json|xml|yaml)|toml|javascript|typescript|sql|rtf)$)/
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
