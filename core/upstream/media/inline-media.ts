import type { ProviderAdapter } from '../../contracts/adapter.ts'
import type { InputPart, Item, Part } from '../../contracts/items.ts'
import { ProviderFailure, type ProviderCall } from '../../contracts/provider.ts'
import type { HttpClient } from '../http-client.ts'
import { MediaError } from './media-error.ts'

const maximumUrls = 64
const maximumAtOnce = 4

type Media = NonNullable<ProviderAdapter['media']>
interface Wanted {
  readonly field: 'image_url' | 'file_url'
  readonly url: string
}

/** The call with what its vendor does not fetch by itself put in as `data:` URLs: an image's `image_url`, a file's `file_data`. */
export async function withMediaInline(call: ProviderCall, media: Media, http: HttpClient): Promise<ProviderCall> {
  const wanted = new Map<string, Wanted>()
  for (const part of call.request.input.flatMap(partsOf)) {
    const each = wantedOf(part, media)
    if (each) wanted.set(each.url, each)
  }
  if (wanted.size === 0) return call
  if (wanted.size > maximumUrls)
    throw new ProviderFailure({
      kind: 'invalid-request',
      message: `The input names ${wanted.size} images and files by URL, and at most ${maximumUrls} are fetched for this provider.`,
    })
  const fetched = await fetchAll([...wanted.values()], http, call.signal)
  const inline = <P extends Part>(part: P): P => inlined(part, media, fetched) as P
  return { ...call, request: { ...call.request, input: call.request.input.map(item => withParts(item, inline)) } }
}

function wantedOf(part: Part, media: Media): Wanted | undefined {
  if (part.type === 'input_image' && media.images === 'inline' && part.image_url !== undefined && !isData(part.image_url))
    return { field: 'image_url', url: part.image_url }
  if (part.type === 'input_file' && media.files === 'inline' && part.file_url !== undefined)
    return { field: 'file_url', url: part.file_url }
  return undefined
}

/** A few at a time, in order. */
async function fetchAll(wanted: readonly Wanted[], http: HttpClient, signal: AbortSignal): Promise<ReadonlyMap<string, string>> {
  const fetched = new Map<string, string>()
  const left = wanted.values()
  const work = async (): Promise<void> => {
    for (const { field, url } of left) {
      try {
        const { mediaType, base64 } = await http.media(url, field === 'image_url' ? 'image' : 'file', signal)
        fetched.set(url, `data:${mediaType};base64,${base64}`)
      } catch (error) {
        throw error instanceof MediaError ? error.asFailure(field) : error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(maximumAtOnce, wanted.length) }, work))
  return fetched
}

function inlined(part: Part, media: Media, fetched: ReadonlyMap<string, string>): Part {
  const wanted = wantedOf(part, media)
  if (!wanted) return part
  const data = fetched.get(wanted.url)!
  if (part.type === 'input_image') return { ...part, image_url: data }
  const { file_url: _, ...file } = part as Extract<Part, { type: 'input_file' }>
  return { ...file, file_data: data, filename: file.filename ?? nameOf(wanted.url) }
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === 'message') return item.content
  const output = item.type === 'function_call_output' || item.type === 'custom_tool_call_output' ? item.output : undefined
  return typeof output === 'object' ? output : []
}

function withParts(item: Item, change: <P extends Part>(part: P) => P): Item {
  if (item.type === 'message') return { ...item, content: item.content.map(change) }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return typeof item.output === 'string' ? item : { ...item, output: item.output.map(part => change<InputPart>(part)) }
  return item
}

function isData(url: string): boolean {
  return /^data:/i.test(url)
}

function nameOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) || 'file'
}
