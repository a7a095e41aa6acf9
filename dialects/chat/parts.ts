import type { JsonObject } from '../../core/index.ts'
import { unsayable, type FilePart, type ImagePart, type Part } from '../../core/kit.ts'
import type { ChatHost } from './chat-host.ts'
import { extraOf } from './own-dialect.ts'

/** The content of a message: a string if it is a single plain text, else parts. */
export function contentFor(parts: readonly Part[], host: ChatHost): string | readonly JsonObject[] {
  const said = parts.map(part => partFor(part, host))
  const [first] = said
  return said.length === 1 && isPlainText(first!) ? first.text : said.length === 0 ? '' : said
}

/** The content for roles that many hosts accept only as a string. */
export function textFor(parts: readonly Part[], host: ChatHost): string | readonly JsonObject[] {
  const said = parts.map(part => partFor(part, host))
  return said.every(isPlainText) ? said.map(part => part.text).join('\n') : said
}

function isPlainText(part: JsonObject): part is { type: 'text'; text: string } {
  return part.type === 'text' && Object.keys(part).length === 2
}

export function partFor(part: Part, host: ChatHost): JsonObject {
  const extra = extraOf(part)
  // With a type, it is the whole part.
  if (extra?.['type'] !== undefined) return extra
  return extra ? { ...extra, ...knownPart(part, host) } : knownPart(part, host)
}

function knownPart(part: Part, host: ChatHost): JsonObject {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: part.text, ...cacheMarks(part, host) }
    case 'refusal':
      return { type: 'text', text: part.refusal }
    case 'input_image':
      return imagePart(part, host)
    case 'input_file':
      return filePart(part, host)
    case 'vendor':
      return part.extra
  }
}

function imagePart(part: ImagePart, host: ChatHost): JsonObject {
  if (part.image_url === undefined)
    throw unsayable('input_image has no image_url. The Chat Completions protocol has no other way to send an image.', part)
  const detail = part.detail === 'original' ? 'high' : part.detail
  return { type: 'image_url', image_url: { url: part.image_url, ...(detail && { detail }) }, ...cacheMarks(part, host) }
}

function filePart(part: FilePart, host: ChatHost): JsonObject {
  const data = /^data:(audio|image)\/([\w.+-]+)[^,]*;base64,/.exec(part.file_data ?? '')
  if (data?.[1] === 'image') return imagePart({ ...part, type: 'input_image', image_url: part.file_data! }, host)
  if (data) return audioPart(part.file_data!.slice(data[0].length), data[2]!, host)
  const { filename, file_data, file_id, file_url } = part
  const source = file_url ?? file_data
  switch (host.files) {
    case 'file':
      if (file_data === undefined && file_id === undefined)
        throw unsayable('input_file needs file_data or file_id: this provider does not fetch files by URL.', part)
      return { type: 'file', file: file_id ? { file_id } : { filename: filename ?? 'file', file_data }, ...cacheMarks(part, host) }
    case 'file_or_url':
      if (source === undefined) throw unsayable('input_file needs file_data or file_url: this provider does not store files.', part)
      return { type: 'file', file: { filename: filename ?? 'file', file_data: source }, ...cacheMarks(part, host) }
    case 'document_url':
      if (source === undefined) return { type: 'file', file_id }
      return { type: 'document_url', document_url: source, ...(filename && { document_name: filename }) }
    case 'file_url':
      if (source === undefined) throw unsayable('input_file needs file_data or file_url: this provider does not store files.', part)
      // The vendor accepts base64 without the prefix of a data: URL.
      return { type: 'file_url', file_url: { url: source.replace(/^data:[^,]*,/, '') }, ...(filename && { file_name: filename }) }
  }
  throw unsayable('This provider does not accept files.', part)
}

const audioFormats: Readonly<Record<string, string>> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav', 'vnd.wave': 'wav', mp4: 'm4a' }

function audioPart(data: string, subtype: string, { audio }: ChatHost): JsonObject {
  if (audio === 'bytes') return { type: 'input_audio', input_audio: data }
  return { type: 'input_audio', input_audio: { data, format: audioFormats[subtype] ?? subtype } }
}

function cacheMarks(part: object, { extensions }: ChatHost): JsonObject {
  const marks = part as { readonly prompt_cache_breakpoint?: object; readonly cache_control?: object }
  return {
    ...(marks.prompt_cache_breakpoint &&
      extensions?.includes('prompt_cache_breakpoint') && { prompt_cache_breakpoint: marks.prompt_cache_breakpoint }),
    ...(marks.cache_control && extensions?.includes('cache_control') && { cache_control: marks.cache_control }),
  }
}
