import { parseDataUrl, textFile, textOfPart, unsayable, type FilePart, type ImagePart, type Part } from '../../../core/index.ts'

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
  return joined(parts.map(textOfPart))
}

function textIn(part: Exclude<Part, ImagePart>): string {
  return part.type === 'input_file' ? fileAsText(part) : textOfPart(part)
}

function joined(texts: readonly string[]): string {
  return texts.filter(text => text !== '').join('\n')
}

function imageBytes(part: ImagePart): string {
  const { image_url: url } = part
  if (url === undefined) throw unsayable('input_image has no image_url, and this provider keeps no files that file_id could name.', part)
  const data = parseDataUrl(url)
  if (!data) throw unsayable('image_url is a data: URL without data. Expected data:image/…;base64,….', part)
  return data.base64
}

function fileAsText(file: FilePart): string {
  const { name, text } = textFile(file)
  return `<file name=${JSON.stringify(name)}>\n${text}\n</file>`
}
