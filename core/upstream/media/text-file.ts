import type { FilePart } from '../../contracts/parts.ts'
import { unsayable } from '../provider-failures.ts'
import { inlineDataOf } from './data-url.ts'
import { extensionOf } from './file-type.ts'

/** A file for a vendor that accepts only text files and does not store files. Throws `ProviderFailure` for any other file. */
export function textFile(part: FilePart): { readonly name: string; readonly text: string } {
  const { filename: name = 'file', file_data: data } = part
  if (data === undefined)
    throw unsayable(`The file "${name}" is referenced by file_id, but this provider does not store files. Send its file_data.`, part)
  const { mediaType, base64 } = inlineDataOf(data, part) ?? { mediaType: '', base64: data }
  const text = isTextFile(mediaType, name) ? decoded(base64) : undefined
  if (text === undefined)
    throw unsayable(
      `The file "${name}" is not a text file (${mediaType || 'unknown type'}), and this provider accepts only text files.`,
      part,
    )
  return { name, text }
}

const textTypes = /^text\/|^application\/([a-z.+-]*(json|xml|yaml)|toml|javascript|typescript|sql|rtf)$/
const textExtensions =
  /^(txt|md|csv|tsv|json|jsonl|xml|yaml|yml|toml|ini|log|sql|html|htm|css|svg|js|ts|jsx|tsx|py|rb|go|rs|java|c|h|cpp|cs|sh)$/

/** Decides by media type, or by file name if the type is empty or `application/octet-stream`. */
export function isTextFile(mediaType: string, name?: string): boolean {
  return /^$|octet-stream/.test(mediaType) ? textExtensions.test(extensionOf(name) ?? '') : textTypes.test(mediaType)
}

/** The text of a file, if it is UTF-8. */
function decoded(base64: string): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
