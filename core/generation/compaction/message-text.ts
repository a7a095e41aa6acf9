import { createHash } from 'node:crypto'
import type { InputPart, MessageItem, Part, TextPart } from '../../contracts/items.ts'

/** A rough measure, which needs no tokenizer. */
export const charactersPerToken = 4
const mediaCharacters = 4_000
const fingerprintLength = 12

/** The characters of a message. An image or a file counts as a thousand tokens. */
export function lengthOf({ content }: Pick<MessageItem, 'content'>): number {
  return content.reduce((sum, part) => sum + (isMedia(part) ? mediaCharacters : wordsOf(part).length), 0)
}

export function hasMedia({ content }: MessageItem): boolean {
  return content.some(isMedia)
}

/** The message in words alone, at most this long: images and files are only named. */
export function inWords({ role, content }: MessageItem, longest = Infinity): MessageItem {
  const texts: TextPart[] = []
  let left = longest
  for (const part of content) {
    if (left <= 0) break
    const text = cutMiddle(wordsOf(part), left)
    left -= text.length
    if (text !== '') texts.push({ type: 'input_text', text })
  }
  return { type: 'message', role, content: texts }
}

/** Says whether a later request repeats the message, whatever its id. */
export function fingerprintOf({ role, content }: MessageItem): string {
  const hash = createHash('sha256').update(role)
  for (const part of content) hash.update('\0').update(part.type).update('\0').update(contentOf(part))
  return hash.digest('base64url').slice(0, fingerprintLength)
}

/** The text without its middle, if it is longer than this. */
export function cutMiddle(text: string, longest: number): string {
  if (text.length <= longest) return text
  const note = `\n[… ${text.length - longest} characters left out …]\n`
  const rest = Math.max(0, longest - note.length)
  const head = Math.ceil((rest * 2) / 3)
  return (text.slice(0, head) + note + text.slice(text.length - (rest - head))).toWellFormed()
}

export function wordsOf(part: Part | InputPart): string {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return part.text
    case 'refusal':
      return part.refusal
    case 'input_image':
      return '[image]'
    case 'input_file':
      return `[file ${part.filename ?? 'without a name'}]`
    case 'vendor':
      return '[content of another API]'
  }
}

function isMedia({ type }: Part | InputPart): boolean {
  return type === 'input_image' || type === 'input_file' || type === 'vendor'
}

function contentOf(part: Part): string {
  if (part.type === 'input_image') return `${part.image_url ?? part.file_id}`
  if (part.type === 'input_file') return `${part.filename} ${part.file_data ?? part.file_url ?? part.file_id}`
  return part.type === 'vendor' ? JSON.stringify(part.extra) : wordsOf(part)
}
