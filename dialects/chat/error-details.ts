import { isObject, parseJson, type JsonObject } from '../../core/index.ts'
import { isImageErrorCode, membersOf, type ErrorReply, type VendorError } from '../../core/kit.ts'

export interface ErrorDetails extends VendorError {
  readonly code: string | undefined
}

/** Reads an error body. There is no common shape: the sentence may be in `error`, `message`, `detail` or `msg`, at any of three depths. */
export function errorDetails(body: unknown, { upstream }: ErrorReply): ErrorDetails {
  const error = inner(body ?? upstream)
  const outer = membersOf(body)
  const fields = membersOf(error)
  const code = text(fields.code) ?? text(outer.code)
  return {
    message: sentence(nested(fields)) ?? sentence(error),
    code,
    type: text(fields.type) ?? text(outer.type),
    status: statusFrom(fields.status_code) ?? statusFrom(fields.status) ?? statusFrom(fields.code),
    ...(isImageErrorCode(code) && { imageCode: code }),
  }
}

function inner(body: unknown): unknown {
  if (Array.isArray(body)) return inner(body[0])
  return isObject(body) && body.error ? body.error : body
}

/** OpenRouter passes on the upstream vendor's error as text, next to a sentence that says nothing. */
function nested({ metadata }: JsonObject): unknown {
  if (!isObject(metadata) || typeof metadata.raw !== 'string') return undefined
  return inner(parseJson(metadata.raw) ?? metadata.raw)
}

function sentence(error: unknown): string | undefined {
  if (typeof error === 'string') return plain(error)
  if (Array.isArray(error)) return error.map(sentence).filter(Boolean).join('; ') || undefined
  if (!isObject(error)) return undefined
  const { loc } = error
  const said = sentence(error.message) ?? sentence(error.msg) ?? sentence(error.detail) ?? sentence(error.error)
  return said && Array.isArray(loc) ? `${loc.join('.')}: ${said}` : said
}

const maxLength = 2000

/** An HTML page is not a sentence. */
function plain(message: string): string | undefined {
  const trimmed = message.trim()
  return trimmed === '' || trimmed.startsWith('<') ? undefined : trimmed.slice(0, maxLength)
}

function statusFrom(value: unknown): number | undefined {
  const status = Number(value)
  return status >= 400 && status <= 599 ? status : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
}
