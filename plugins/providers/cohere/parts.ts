import { textOfPart, unsayable, type ImagePart, type Part } from '../../../core/kit.ts'
import { fileAsText } from './documents.ts'
import type { ImageContent, TextContent } from './wire.ts'

/** A user message: one text, or parts. Files are separate documents, unless `filesAsText`. */
export function userContent(parts: readonly Part[], filesAsText: boolean): string | readonly (TextContent | ImageContent)[] {
  const content = parts.flatMap((part): readonly (TextContent | ImageContent)[] => {
    if (part.type === 'input_image') return [imageContent(part)]
    if (part.type === 'input_file') return filesAsText ? [{ type: 'text', text: fileAsText(part) }] : []
    const text = textOfPart(part)
    return text === '' ? [] : [{ type: 'text', text }]
  })
  const [first] = content
  // The vendor rejects an empty message.
  if (!first) return parts.flatMap(part => (part.type === 'input_file' ? `See the document "${part.filename ?? 'file'}".` : [])).join('\n')
  return content.length === 1 && first.type === 'text' ? first.text : content
}

/** The content of a message that may hold only text. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map(textOfPart)
    .filter(text => text !== '')
    .join('\n')
}

export function imageContent(part: ImagePart): ImageContent {
  const { image_url: url, detail } = part
  if (url === undefined) throw unsayable('input_image has no image_url, and this provider does not store files for file_id.', part)
  const wanted = detail === 'original' ? 'high' : detail
  return { type: 'image_url', image_url: { url, ...(wanted && { detail: wanted }) } }
}
