import { parseDataUrl, textFile, textOfPart, unsayable, type FilePart, type ImagePart, type Part } from '../../../core/kit.ts'

/** The content of a message in this dialect. */
export interface Content {
  readonly content: string
  /** Base64. */
  readonly images?: readonly string[]
}

/** The content of a user message or a tool output. Includes the text of files. */
export function contentOf(parts: readonly Part[]): Content {
  const images = parts.flatMap(part => (part.type === 'input_image' ? [imageBytes(part)] : []))
  const texts = parts.flatMap(part => (part.type === 'input_image' ? [] : [textIn(part)]))
  return { content: joined(texts), ...(images.length > 0 && { images }) }
}

/** The content of a message that may hold only text. */
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
  if (url === undefined) throw unsayable('input_image has no image_url, and this provider does not store files for file_id.', part)
  const data = parseDataUrl(url)
  if (!data) throw unsayable('image_url is a malformed data: URL. Expected data:image/…;base64,….', part)
  return data.base64
}

function fileAsText(file: FilePart): string {
  const { name, text } = textFile(file)
  return `<file name=${JSON.stringify(name)}>\n${text}\n</file>`
}
