import type { LanguageModelV4FilePart, LanguageModelV4TextPart, LanguageModelV4ToolResultOutput } from '@ai-sdk/provider'
import {
  isTextFile,
  parseDataUrl,
  textOfPart,
  unsayable,
  type FilePart,
  type FunctionCallOutputItem,
  type ImagePart,
  type Part,
} from '../../../core/kit.ts'
import { typeByName } from './media.ts'
import type { Vendor } from './vendor.ts'

type UserPart = LanguageModelV4TextPart | LanguageModelV4FilePart

export function partsFor(parts: readonly Part[], vendor: Vendor): UserPart[] {
  return parts.map(part => {
    if (part.type === 'input_image') return imagePart(part, vendor)
    return part.type === 'input_file' ? filePart(part) : { type: 'text', text: textOfPart(part) }
  })
}

/** The content of a message that may hold text only. */
export function textFor(parts: readonly Part[]): string {
  return parts.map(textOfPart).join('\n')
}

export interface Result {
  readonly output: LanguageModelV4ToolResultOutput
  /** Parts that a result cannot hold for this vendor. */
  readonly attachments: readonly UserPart[]
}

export function resultFor({ output, status }: FunctionCallOutputItem, vendor: Vendor): Result {
  const parts: readonly UserPart[] = typeof output === 'string' ? [{ type: 'text', text: output }] : partsFor(output, vendor)
  const texts = parts.filter(part => part.type === 'text')
  const files = parts.filter(part => part.type === 'file')
  const type = status === 'failed' ? 'error-text' : 'text'
  const value = texts.map(part => part.text).join('\n')
  if (files.length === 0) return { output: { type, value }, attachments: [] }
  if (vendor.mediaInResults) return { output: { type: 'content', value: [...parts] }, attachments: [] }
  return { output: { type, value: value || 'The result follows as an attachment.' }, attachments: files }
}

function imagePart(part: ImagePart, { namespace }: Vendor): LanguageModelV4FilePart {
  const { image_url: url, detail } = part
  if (url === undefined) throw unsayable('input_image has no image_url, and this provider does not store files for file_id.', part)
  const providerOptions = namespace === 'openai' && detail && detail !== 'original' ? { openai: { imageDetail: detail } } : undefined
  return { ...located(url, 'image/*', part), ...(providerOptions && { providerOptions }) }
}

/** Sends text files as text, because few packages accept them as files. */
function filePart(file: FilePart): UserPart {
  const { filename, file_data, file_url } = file
  const source = file_url ?? file_data
  if (source === undefined)
    throw unsayable('input_file has no file_data or file_url, and this provider does not store files for file_id.', file)
  const named = typeByName(filename ?? file_url)
  const isData = file_url === undefined && !/^data:/i.test(source)
  const part = located(isData ? `data:${named};base64,${source}` : source, named, file)
  const mediaType = part.mediaType === 'application/octet-stream' ? named : part.mediaType
  if (part.data.type === 'data' && isTextFile(mediaType)) {
    const text = Buffer.from(part.data.data as string, 'base64').toString('utf8')
    return { type: 'text', text: filename === undefined ? text : `${filename}:\n${text}` }
  }
  return { ...part, mediaType, ...(filename !== undefined && { filename }) }
}

function located(url: string, mediaType: string, part: ImagePart | FilePart): LanguageModelV4FilePart {
  if (!/^data:/i.test(url)) return { type: 'file', mediaType, data: { type: 'url', url: new URL(url) } }
  const data = parseDataUrl(url)
  const field = part.type === 'input_image' ? 'image_url' : 'file_data'
  if (!data) throw unsayable(`${field} is a malformed data: URL. Expected data:<type>;base64,<data>.`, part)
  return { type: 'file', mediaType: data.mediaType, data: { type: 'data', data: data.base64 } }
}
