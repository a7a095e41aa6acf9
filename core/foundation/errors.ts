import { branded } from './brand.ts'
import { reasonOfStatus, type FailureReason } from './failure-reason.ts'
import { wording, Wording } from './wording.ts'

/** The gateway cannot be assembled from these plugins. */
export class AssemblyError extends Error {
  override readonly name: string = 'AssemblyError'

  static {
    branded(this, 'assembly-error')
  }
}

/** A mistake in a plugin or its use in the config. The message starts with the plugin's name. It is logged, so it must not contain content. */
export class PluginError extends AssemblyError {
  override readonly name = 'PluginError'
  /** Its name with its instance, such as `openai-chat(groq)`. */
  readonly plugin: string
  /** A word from an answer. Logged only if the policy of the request has `logging` on. */
  readonly word: string | undefined

  static {
    branded(this, 'plugin-error')
  }

  constructor(plugin: string, problem: string, { word, ...options }: ErrorOptions & { readonly word?: string | undefined } = {}) {
    super(`plugin ${plugin} ${problem}`, options)
    this.plugin = plugin
    this.word = word
  }
}

/** The values of `response.error.code`: docs/protocol/errors.md#error-codes. */
export const errorCodes = [
  'server_error',
  'rate_limit_exceeded',
  'invalid_prompt',
  'data_residency_mismatch',
  'bio_policy',
  'vector_store_timeout',
  'invalid_image',
  'invalid_image_format',
  'invalid_base64_image',
  'invalid_image_url',
  'image_too_large',
  'image_too_small',
  'image_parse_error',
  'image_content_policy_violation',
  'invalid_image_mode',
  'image_file_too_large',
  'unsupported_image_media_type',
  'empty_image_file',
  'failed_to_download_image',
  'image_file_not_found',
  'provider_error',
  'rate_limit_error',
  'insufficient_credits',
  'context_length_exceeded',
  'provider_timeout',
] as const
/** One of `errorCodes`. */
export type ErrorCode = (typeof errorCodes)[number]

/** The codes for image errors. Providers may set only these; core sets all others. */
export type ImageErrorCode = Extract<ErrorCode, `${string}image${string}`>

/** True for the codes that `ProviderFailureOptions.code` may have. */
export function isImageErrorCode(code: unknown): code is ImageErrorCode {
  return typeof code === 'string' && code.includes('image') && (errorCodes as readonly string[]).includes(code)
}

/** The members of a `GatewayError`: docs/protocol/errors.md#http-errors. */
export interface GatewayErrorOptions {
  /** The HTTP status, such as 400. */
  readonly status: number
  /** Such as `invalid_request_error`. */
  readonly type: string
  /** Machine-readable. For a failed generation, one of `errorCodes`. */
  readonly code: string
  /** Of a text, records without content have nothing: see `wording`. */
  readonly message: string | Wording
  /** The message without what it quotes. Default: that of a `Wording`. */
  readonly unquotedMessage?: string | undefined
  /** Default: what the status and the code say. */
  readonly reason?: FailureReason | undefined
  /** The path of the field at fault, such as `input[2].content`. */
  readonly param?: string | undefined
  /** When to try again. Sent in the headers `retry-after` and `retry-after-ms`. */
  readonly retryAfterMs?: number | undefined
  /** The same request can never succeed: tells clients not to retry. */
  readonly final?: boolean
  /** The same request may succeed soon: tells clients to retry. */
  readonly transient?: boolean
  /** The vendor's error body. Sent to the caller only, never logged. */
  readonly upstreamError?: string | undefined
  /** For policy refusals: the body has only `type` and `message` (docs/protocol/errors.md#policy-refusals). */
  readonly bare?: boolean
  /** A sentence that names a path. Added to the message if the path is served. */
  readonly hint?:
    | {
        /** Such as `/v1/models`. */
        readonly path: string
        /** Follows the message after a space. */
        readonly text: string
      }
    | undefined
  /** More headers for the reply, such as `allow`. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Sent in headers, such as `x-gateway-provider`. Core sets it. */
  readonly asked?: Asked | undefined
  /** The error behind it, for logs. Callers never see it. */
  readonly cause?: unknown
}

/** The endpoints that a request asked. */
export interface Asked {
  /** The provider that answered or, with an error, that was asked last. */
  readonly provider: string
  /** How many attempts were made. */
  readonly attempts: number
  /** Sent in the header `x-gateway-warnings`. */
  readonly warnings: readonly {
    /** The member of the request, such as `temperature`. */
    readonly param: string
    /** Ends the warning, after the member and a colon. */
    readonly message: string
  }[]
}

/** An error that the caller may see. The message says what was expected, what came, and what to do. It must not contain secrets or prompts. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  /** The HTTP status of the reply, such as 400. */
  readonly status: number
  /** Such as `invalid_request_error`. */
  readonly type: string
  /** Machine-readable. For a failed generation, one of `errorCodes`. */
  readonly code: string
  /** The path of the field at fault, such as `input[2].content`. */
  readonly param: string | undefined
  /** When to try again, in milliseconds from now. Sent as `retry-after` with a 429 or a transient error. */
  readonly retryAfterMs: number | undefined
  /** The same request can never succeed: tells clients not to retry. */
  readonly final: boolean
  /** The same request may succeed soon: tells clients to retry. */
  readonly transient: boolean
  /** The vendor's error body. Sent to the caller only, never logged. */
  readonly upstreamError: string | undefined
  /** For policy refusals: the body has only `type` and `message`. */
  readonly bare: boolean
  /** A sentence that names a path. Added to the message if the path is served. */
  readonly hint: GatewayErrorOptions['hint']
  /** More headers for the reply, such as `allow`. */
  readonly headers: Readonly<Record<string, string>> | undefined
  /** The attempts before it. Core sets it; undefined if no provider was asked. */
  readonly asked: Asked | undefined
  /** The message without anything that the request or a vendor said, for records without content. Undefined if nobody wrote one. */
  readonly unquotedMessage: string | undefined
  /** For records, metrics and alerts. Default: what the status says. */
  readonly reason: FailureReason

  static {
    branded(this, 'gateway-error')
  }

  constructor(options: GatewayErrorOptions) {
    const { message } = options
    const told = message instanceof Wording ? message : undefined
    super(told?.text ?? (message as string), options.cause === undefined ? undefined : { cause: options.cause })
    this.status = options.status
    this.type = options.type
    this.code = options.code
    this.param = options.param
    this.retryAfterMs = options.retryAfterMs
    this.final = options.final ?? false
    this.transient = options.transient ?? false
    this.upstreamError = options.upstreamError
    this.bare = options.bare ?? false
    this.hint = options.hint
    this.headers = options.headers
    this.asked = options.asked
    this.unquotedMessage = options.unquotedMessage ?? told?.unquoted
    this.reason = options.reason ?? reasonOfStatus(options.status) ?? unknown
  }

  /** The same error, without the vendor's own words. */
  unquoted(): GatewayError {
    if (this.upstreamError === undefined) return this
    const { message, cause } = this
    return new GatewayError({ ...this, message, cause, upstreamError: undefined })
  }

  /** The same error, for this reason. */
  because(reason: FailureReason): GatewayError {
    const { message, cause } = this
    return new GatewayError({ ...this, message, cause, reason })
  }

  /** The same error, after these attempts. */
  after(asked: Asked): GatewayError {
    const { message, cause } = this
    return new GatewayError({ ...this, message, cause, asked })
  }
}

const unknown: FailureReason = Object.freeze({ kind: 'gateway' })

/** The request is at fault: 400. */
export function invalidRequest(message: string | Wording, param?: string, code = 'invalid_value'): GatewayError {
  return new GatewayError({ status: 400, type: 'invalid_request_error', code, message, param })
}

/** The caller's policy does not allow the request: the 422 in docs/protocol/errors.md#policy-refusals. `level`: who set the field. */
export function policyRefusal(message: string | Wording, level?: FailureReason['level']): GatewayError {
  const reason: FailureReason = { kind: 'policy', level }
  return new GatewayError({ status: 422, type: 'invalid_request_error', code: 'policy_refusal', message, bare: true, reason })
}

/** Any unexpected error. Its message may contain content, so the caller does not see it. */
export function internalError(cause: unknown): GatewayError {
  return new GatewayError({
    status: 500,
    type: 'server_error',
    code: 'server_error',
    message: wording`The gateway failed to handle this request. The request id is in the x-request-id header.`,
    cause,
  })
}

/** Returns a `GatewayError` as it is. Anything else becomes a 500 without details. */
export function asGatewayError(error: unknown): GatewayError {
  return error instanceof GatewayError ? error : internalError(error)
}
