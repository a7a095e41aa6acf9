import type { GatheredMedia, HttpClient, MediaContent, WantedMedia } from '../../contracts/http-client.ts'
import type { ProviderAdapter, UpstreamRequest } from '../../contracts/adapter.ts'
import type { Item, Part } from '../../contracts/items.ts'
import type { ProviderCall } from '../../contracts/provider.ts'
import { aboutAsked } from './about-asked.ts'
import { MediaError } from './media-error.ts'
import { namedMedia, partsOf, type NamedMedia } from './media-parts.ts'
import { StandIns, type Piece } from './stand-ins.ts'

type Places = NonNullable<ProviderAdapter['media']>

/** The most that may pass through an adapter as a string, because that blocks the event loop. */
const maxWhole = 10 * 1024 * 1024

/** Media that a call names by URL (`image_url`, `file_url`) and its vendor accepts only inline. */
export class InlineMedia {
  readonly #call: ProviderCall
  readonly #places: Places
  readonly #standIns: StandIns
  readonly #release: () => void
  #contents: GatheredMedia['contents']

  private constructor(call: ProviderCall, places: Places, gathered: GatheredMedia) {
    this.#call = call
    this.#places = places
    this.#contents = gathered.contents
    this.#release = gathered.release
    this.#standIns = new StandIns([...gathered.contents.keys()])
  }

  /** Fetches the media of a call. Undefined if there is nothing to fetch. Throws `ProviderFailure` if something cannot be fetched. */
  static fetch(call: ProviderCall, places: Places, http: HttpClient): Promise<InlineMedia> | undefined {
    const wanted = wantedBy(call, places)
    return wanted && InlineMedia.#gather(wanted, call, places, http)
  }

  static async #gather(wanted: readonly WantedMedia[], call: ProviderCall, places: Places, http: HttpClient): Promise<InlineMedia> {
    const gathering = http.media(wanted, call.signal)
    try {
      return new InlineMedia(call, places, await (call.clock?.pauseFor(gathering) ?? gathering))
    } catch (error) {
      throw error instanceof MediaError ? error.asFailure() : error
    }
  }

  /** The call with all media as `data:` URLs, for providers without an adapter. */
  get whole(): ProviderCall {
    return this.#with(url => wholeUrl(this.#contentOf(url)))
  }

  /**
   * Prepares the request with the adapter; call it once. The adapter sees short placeholders, which the contents replace in the body
   * afterward: as strings, they would be copied and searched several times, which takes 0.1 s for 30 MB. If an adapter reads a content
   * itself, such as a text file, its placeholder is missing from the body, so the adapter runs again with the content.
   */
  request(adapter: Pick<ProviderAdapter, 'prepare'>): UpstreamRequest {
    const shown = new Set<string>()
    for (;;) {
      const url = (url: string): string => (shown.has(url) ? this.#smallUrl(url) : this.#standInUrl(url))
      const prepared = aboutAsked(this.#call, this.#with(url), call => adapter.prepare(call))
      const pieces = typeof prepared.body === 'string' ? this.#standIns.pieces(prepared.body) : []
      const found = new Set(pieces.flatMap(({ url }) => (url === undefined ? [] : [url])))
      const missing = [...this.#contents.keys()].filter(each => !found.has(each) && !shown.has(each))
      if (missing.length === 0) return found.size === 0 ? prepared : { ...prepared, body: this.#joined(pieces) }
      for (const each of missing) shown.add(each)
    }
  }

  /** Releases the bytes, so that other requests may fetch. */
  release(): void {
    this.#release()
  }

  #joined(pieces: readonly Piece[]): Uint8Array {
    const body = Buffer.concat(pieces.flatMap(({ text, url }) => (url === undefined ? [Buffer.from(text)] : this.#contentOf(url).base64)))
    // From here on, the body holds the bytes.
    this.#contents = new Map()
    return body
  }

  #contentOf(url: string): MediaContent {
    return this.#contents.get(url)!
  }

  #standInUrl(url: string): string {
    return `data:${this.#contentOf(url).mediaType};base64,${this.#standIns.of(url)}`
  }

  #smallUrl(url: string): string {
    const content = this.#contentOf(url)
    if (content.bytes <= maxWhole) return wholeUrl(content)
    const kind = wantedBy(this.#call, this.#places)!.find(each => each.url === url)!.kind
    throw new MediaError(kind, 'size', 'is larger than 10 MiB, the limit of this provider for this type', { url }).asFailure()
  }

  #with(dataUrlOf: (url: string) => string): ProviderCall {
    const { request } = this.#call
    const inline = <P extends Part>(part: P): P => {
      const wanted = wantedIn(part, this.#places)
      return wanted ? (inlined(part, wanted.url, dataUrlOf(wanted.url)) as P) : part
    }
    return { ...this.#call, request: { ...request, input: request.input.map(item => withParts(item, inline)) } }
  }
}

/** Lists each URL once. Undefined for none, the usual case. */
function wantedBy({ request }: ProviderCall, places: Places): readonly WantedMedia[] | undefined {
  let wanted: Map<string, WantedMedia> | undefined
  for (const item of request.input)
    for (const part of partsOf(item)) {
      const named = wantedIn(part, places)
      if (named) (wanted ??= new Map()).set(named.url, { url: named.url, kind: named.field === 'image_url' ? 'image' : 'file' })
    }
  return wanted && [...wanted.values()]
}

function wantedIn(part: Part, { images, files }: Places): NamedMedia | undefined {
  const named = namedMedia(part)
  return named && (named.field === 'image_url' ? images : files) === 'inline' ? named : undefined
}

function wholeUrl({ mediaType, base64 }: MediaContent): string {
  return `data:${mediaType};base64,${Buffer.concat(base64).toString('latin1')}`
}

function inlined(part: Part, url: string, data: string): Part {
  if (part.type === 'input_image') return { ...part, image_url: data }
  const { file_url: _, ...file } = part as Extract<Part, { type: 'input_file' }>
  return { ...file, file_data: data, filename: file.filename ?? nameOf(url) }
}

function withParts(item: Item, change: <P extends Part>(part: P) => P): Item {
  if (item.type === 'message') return { ...item, content: item.content.map(change) }
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return typeof item.output === 'string' ? item : { ...item, output: item.output.map(change) }
  return item
}

function nameOf(url: string): string {
  return new URL(url).pathname.split('/').at(-1) || 'file'
}
