import type { JsonObject } from '../../../core/index.ts'
import type { FilePart, ImagePart, InputPart, OutputTextPart, Part, RefusalPart, TextPart } from '../../../core/kit.ts'
import type { WireContent, WireMessage, WirePart } from './wire.ts'

type Role = WireMessage['role']

/** The parts of a message. Content that has no neutral form becomes a `vendor` part, in its place. */
export function partsOf(content: WireContent | null | undefined, role: Role): readonly Part[] {
  if (typeof content === 'string') return content === '' && role === 'assistant' ? [] : [textPart(content, role)]
  return content?.map(part => partOf(part, role)) ?? []
}

/** The output of a tool: a text, unless it has other parts. */
export function outputOf(content: WireContent | null | undefined): string | readonly InputPart[] {
  if (typeof content === 'string') return content
  return content?.map(part => partOf(part, 'user') as InputPart) ?? ''
}

function partOf(part: WirePart, role: Role): Part {
  switch (part.type) {
    case 'text':
      return withMembers(textPart(part['text'] as string, role), part, textMembers)
    case 'refusal':
      return { type: 'refusal', refusal: part['refusal'] as string } satisfies RefusalPart
    case 'image_url':
      return withMembers(imagePart(part['image_url'] as string | JsonObject), part, imageMembers)
    case 'input_audio':
      return withMembers(audioPart(part['input_audio'] as { readonly data: string; readonly format: string }), part, audioMembers)
    case 'file': {
      const file = filePart(part['file'] as JsonObject)
      return file ? withMembers(file, part, fileMembers) : { type: 'vendor', extra: part }
    }
    default:
      return { type: 'vendor', extra: part }
  }
}

const textMembers = new Set(['type', 'text', 'cache_control', 'prompt_cache_breakpoint'])
const imageMembers = new Set(['type', 'image_url', 'cache_control', 'prompt_cache_breakpoint'])
const audioMembers = new Set(['type', 'input_audio', 'cache_control', 'prompt_cache_breakpoint'])
const fileMembers = new Set(['type', 'file', 'cache_control', 'prompt_cache_breakpoint'])

function textPart(text: string, role: Role): TextPart | OutputTextPart {
  return role === 'assistant' ? { type: 'output_text', text } : { type: 'input_text', text }
}

function imagePart(image: string | JsonObject): ImagePart {
  if (typeof image === 'string') return { type: 'input_image', image_url: image }
  const detail = image['detail'] as ImagePart['detail'] | null
  return { type: 'input_image', image_url: image['url'] as string, ...(detail && { detail }) }
}

/** The media types of formats that are not their own. */
const audioTypes: Readonly<Record<string, string>> = { mp3: 'mpeg' }

function audioPart({ data, format }: { readonly data: string; readonly format: string }): FilePart {
  // Some clients send a whole address, or an audio on the web.
  if (/^https?:\/\//.test(data)) return { type: 'input_file', file_url: data }
  const file_data = data.startsWith('data:') ? data : `data:audio/${audioTypes[format] ?? format};base64,${data}`
  return { type: 'input_file', file_data }
}

/** Undefined for a file in a form that is not known. */
function filePart({ file_data: data, file_id: id, filename }: JsonObject): FilePart | undefined {
  const named = typeof filename === 'string' && filename !== '' ? { filename } : {}
  if (typeof data === 'string' && data !== '') {
    if (/^https?:\/\//.test(data)) return { type: 'input_file', ...named, file_url: data }
    return { type: 'input_file', ...named, file_data: data.startsWith('data:') ? data : `data:${mediaTypeOf(filename)};base64,${data}` }
  }
  return typeof id === 'string' && id !== '' ? { type: 'input_file', ...named, file_id: id } : undefined
}

function mediaTypeOf(filename: unknown): string {
  return typeof filename === 'string' && /\.txt$|\.md$/i.test(filename) ? 'text/plain' : 'application/pdf'
}

function withMembers<P extends Part>(part: P, sent: WirePart, known: ReadonlySet<string>): P {
  let added: Record<string, unknown> | undefined
  let extra: Record<string, unknown> | undefined
  for (const name in sent) {
    const value = sent[name]
    if (value === null || value === undefined) continue
    if (!known.has(name)) (extra ??= {})[name] = value
    else if (name === 'cache_control' || name === 'prompt_cache_breakpoint') (added ??= {})[name] = value
  }
  return added || extra ? ({ ...part, ...added, ...(extra && { extra }) } as P) : part
}
