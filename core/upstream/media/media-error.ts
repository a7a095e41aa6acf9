import type { MediaKind } from '../../contracts/http-client.ts'
import { ProviderFailure } from '../../contracts/provider.ts'
import { branded } from '../../foundation/brand.ts'
import { invalidRequest, type GatewayError, type ImageErrorCode } from '../../foundation/errors.ts'
import { own, wording, type Wording } from '../../foundation/wording.ts'

export type MediaProblem = 'address' | 'download' | 'missing' | 'size' | 'total' | 'count' | 'empty' | 'type'

/** Only images have specific codes: docs/protocol/errors.md#error-codes. */
const imageCodes: Record<MediaProblem, ImageErrorCode | undefined> = {
  address: 'invalid_image_url',
  download: 'failed_to_download_image',
  missing: 'image_file_not_found',
  size: 'image_file_too_large',
  total: 'image_too_large',
  count: undefined,
  empty: 'empty_image_file',
  type: 'unsupported_image_media_type',
}

const advice: Partial<Record<MediaProblem, string>> = {
  size: 'Send a smaller one.',
  total: 'Send fewer or smaller ones.',
  count: 'Send fewer.',
  empty: 'Send another one.',
  type: 'Send another one.',
}

export interface MediaErrorOptions extends ErrorOptions {
  /** The URL that failed. Never part of a message. */
  readonly url?: string
}

/** Media named by URL cannot be used, which is the caller's fault. `message` follows the field's name and never contains the URL. */
export class MediaError extends Error {
  static {
    branded(this, 'media-error')
  }

  override readonly name = 'MediaError'
  readonly kind: MediaKind
  readonly problem: MediaProblem
  readonly url: string | undefined

  constructor(kind: MediaKind, problem: MediaProblem, message: string, { url, ...options }: MediaErrorOptions = {}) {
    super(message, options)
    this.kind = kind
    this.problem = problem
    this.url = url
  }

  /** The `MediaError` that caused an error, if any. */
  static behind(error: unknown): MediaError | undefined {
    for (let each = error; each instanceof Error; each = each.cause) if (each instanceof MediaError) return each
    return undefined
  }

  /** The 400 for the caller. `path` is the field's path in the request. */
  publicly(path: string): GatewayError {
    return invalidRequest(this.#sentences, path, this.#code ?? 'invalid_value')
  }

  /** The attempt's failure: not the provider's fault, and not worth a retry. */
  asFailure(): ProviderFailure {
    return new ProviderFailure({ kind: 'invalid-request', code: this.#code, message: this.#sentences, cause: this })
  }

  get #code(): ImageErrorCode | undefined {
    return this.kind === 'image' ? imageCodes[this.problem] : undefined
  }

  get #sentences(): Wording {
    const subject = this.problem === 'count' ? 'The input' : this.kind === 'image' ? 'The image_url' : 'The file_url'
    return wording`${own(subject)} ${this.message}. ${own(advice[this.problem] ?? 'Send a public URL, or the content itself.')}`
  }
}
