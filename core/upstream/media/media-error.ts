import { ProviderFailure } from '../../contracts/provider.ts'
import type { ImageErrorCode } from '../../errors.ts'
import type { MediaKind } from './media-fetcher.ts'

export type MediaProblem = 'address' | 'download' | 'missing' | 'size' | 'empty' | 'type'

/** Only images have codes of their own: decisions.md, The 25 error codes. */
const imageCodes: Record<MediaProblem, ImageErrorCode> = {
  address: 'invalid_image_url',
  download: 'failed_to_download_image',
  missing: 'image_file_not_found',
  size: 'image_file_too_large',
  empty: 'empty_image_file',
  type: 'unsupported_image_media_type',
}

/** Something that was named by URL could not be fetched. `message` goes on behind the field's name, and never holds the URL. */
export class MediaError extends Error {
  override readonly name = 'MediaError'
  readonly kind: MediaKind
  readonly problem: MediaProblem

  constructor(kind: MediaKind, problem: MediaProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.kind = kind
    this.problem = problem
  }

  /** The caller's 400: `field` is `image_url` or `file_url`. */
  asFailure(field: string): ProviderFailure {
    return new ProviderFailure({
      kind: 'invalid-request',
      ...(this.kind === 'image' && { code: imageCodes[this.problem] }),
      message: `The ${field} ${this.message}. Send a public URL, or the content itself.`,
      cause: this.cause,
    })
  }
}
