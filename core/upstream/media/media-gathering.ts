import type { GatheredMedia, MediaContent, WantedMedia } from '../../contracts/http-client.ts'
import { HeldMedia, type MediaShare } from './held-media.ts'
import { MediaError } from './media-error.ts'
import type { MediaFetcher } from './media-fetcher.ts'

export interface MediaLimits {
  /** Images and files per request. */
  readonly maxMediaCount: number
  /** Bytes per request. */
  readonly maxMediaBytes: number
  /** Bytes for all requests together. */
  readonly maxHeldMediaBytes: number
}

const maxAtOnce = 4
/** Most images and files are smaller. */
const likelyBytes = 4 * 1024 * 1024
const defaultTimeoutMs = 60_000

/** Fetches everything that one request names by URL, within limits per request and for all requests together. */
export class MediaGathering {
  readonly #fetcher: Pick<MediaFetcher, 'fetch'>
  readonly #limits: MediaLimits
  readonly #held: HeldMedia
  readonly #timeoutMs: number

  constructor(fetcher: Pick<MediaFetcher, 'fetch'>, limits: MediaLimits, timeoutMs = defaultTimeoutMs) {
    this.#fetcher = fetcher
    this.#limits = limits
    this.#held = new HeldMedia(limits.maxHeldMediaBytes)
    this.#timeoutMs = timeoutMs
  }

  get heldBytes(): number {
    return this.#held.bytes
  }

  /** `wanted` lists each URL once. Throws `MediaError`, a 503 if other requests hold too much for too long, and the signal's reason. */
  async gather(wanted: readonly WantedMedia[], signal: AbortSignal): Promise<GatheredMedia> {
    const { maxMediaCount, maxMediaBytes } = this.#limits
    if (wanted.length > maxMediaCount)
      throw new MediaError('file', 'count', `names ${wanted.length} images and files by URL, but the limit is ${maxMediaCount}`)
    const share = await this.#held.enter(wanted.length * likelyBytes, maxMediaBytes, signal)
    const stop = new AbortController()
    const { url, kind } = wanted[0]!
    const late = new MediaError(kind, 'download', `and the other media did not arrive within ${this.#timeoutMs / 1000} s`, {
      url,
    })
    const timer = setTimeout(() => stop.abort(late), this.#timeoutMs)
    try {
      const contents = await this.#fetchAll(wanted, share, AbortSignal.any([signal, stop.signal]))
      share.settle()
      return { contents, release: () => share.release() }
    } catch (error) {
      // Stop the other downloads.
      stop.abort(error)
      share.release()
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** A few at a time, in order. */
  async #fetchAll(wanted: readonly WantedMedia[], share: MediaShare, signal: AbortSignal): Promise<ReadonlyMap<string, MediaContent>> {
    const contents = new Map<string, MediaContent>()
    const left = wanted.values()
    const work = async (): Promise<void> => {
      for (const { url, kind } of left) contents.set(url, await this.#fetcher.fetch(url, kind, signal, share))
    }
    await Promise.all(Array.from({ length: Math.min(maxAtOnce, wanted.length) }, work))
    return contents
  }
}
