import type { Citation } from '../../../core/kit.ts'
import { positionOf } from './documents.ts'
import type { WireSource } from './wire-reply.ts'

/**
 * A source that a reader can follow: one with an address, or a file in the conversation. The public protocol cannot express other tool
 * results.
 */
export function citationOf({ type, id = '', document, tool_output: output }: WireSource): Citation | undefined {
  const data = document ?? output ?? {}
  const url = [data['url'], data['link'], id].find(isAddress)
  if (url !== undefined) return { type: 'url_citation', url, title: stringIn(data['title']) }
  if (type !== 'document') return undefined
  return { type: 'file_citation', file_id: id, filename: stringIn(data['title']), index: positionOf(id) }
}

function isAddress(value: unknown): value is string {
  return typeof value === 'string' && /^https?:\/\//i.test(value)
}

function stringIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Converts a count of Unicode characters, which the vendor uses, to UTF-16 units. Limits it to the length of the text. */
export function utf16Offset(text: string, characters: number): number {
  let offset = 0
  for (let left = characters; left > 0 && offset < text.length; left--) offset += text.codePointAt(offset)! > 0xffff ? 2 : 1
  return offset
}
