import type { Citation } from '../../../core/index.ts'
import { positionOf } from './documents.ts'
import type { WireSource } from './wire-reply.ts'

/**
 * A source that a reader can follow: one that has an address, or a file of the conversation. Other results of tools have neither, and the
 * public protocol has no word for them.
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

/** The vendor counts characters of Unicode, which are one or two units of UTF-16. Counts beyond the text end with it. */
export function utf16Offset(text: string, characters: number): number {
  let offset = 0
  for (let left = characters; left > 0 && offset < text.length; left--) offset += text.codePointAt(offset)! > 0xffff ? 2 : 1
  return offset
}
