import type { FilePart } from '../../contracts/parts.ts'
import { unsayable } from '../provider-failures.ts'
import { inlineDataOf } from './data-url.ts'
import { extensionOf } from './file-type.ts'

/** A file for a vendor that takes text only, and keeps no files. Throws `ProviderFailure` for any other. */
export function textFile(part: FilePart): { readonly name: string; readonly text: string } {
  const { filename: name = 'file', file_data: data } = part
  if (data === undefined)
    throw unsayable(`The file "${name}" is told by file_id, and this provider keeps no files. Send its file_data.`, part)
  const { mediaType, base64 } = inlineDataOf(data, part) ?? { mediaType: '', base64: data }
  const text = isTextFile(mediaType, name) ? decoded(base64) : undefined
  if (text === undefined)
    throw unsayable(`The file "${name}" is no text (${mediaType || 'type unknown'}), and this provider takes files of text only.`, part)
  return { name, text }
}

const textTypes = /^text\/|^application\/([a-z.+-]*(json|xml|yaml)|toml|javascript|typescript|sql|rtf)$/
const textExtensions =
  /^(txt|md|csv|tsv|json|jsonl|xml|yaml|yml|toml|ini|log|sql|html|htm|css|svg|js|ts|jsx|tsx|py|rb|go|rs|java|c|h|cpp|cs|sh)$/

/** By its media type, or by its name where the type is unknown: empty, or any bytes. */
export function isTextFile(mediaType: string, name?: string): boolean {
  return /^$|octet-stream/.test(mediaType) ? textExtensions.test(extensionOf(name) ?? '') : textTypes.test(mediaType)
}

/** Undefined for what is no UTF-8. */
function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
