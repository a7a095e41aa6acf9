import { isObject, parseJson, type JsonObject } from '../../../core/index.ts'

export interface ErrorDetails {
  /** The vendor's own sentence where there is one. */
  readonly message: string
  readonly code: string | undefined
  readonly type: string | undefined
  readonly status: number | undefined
}

/** Reads an error body. There is no common shape: the sentence may stand in `error`, `message`, `detail` or `msg`, at any of three depths. */
export function detailsOf(body: unknown, status: number | undefined): ErrorDetails {
  const error = inner(body)
  const outer = isObject(body) ? body : {}
  const fields = isObject(error) ? error : {}
  const own = status ?? statusFrom(fields.status_code) ?? statusFrom(fields.status) ?? statusFrom(fields.code)
  return {
    message: sentence(nested(fields)) ?? sentence(error) ?? (own ? `The provider answered with status ${own}.` : 'The provider failed.'),
    code: text(fields.code) ?? text(outer.code),
    type: text(fields.type) ?? text(outer.type),
    status: own,
  }
}

function inner(body: unknown): unknown {
  if (Array.isArray(body)) return inner(body[0])
  return isObject(body) && body.error ? body.error : body
}

/** OpenRouter hands on the error of the vendor behind it, as text, below a sentence that says nothing. */
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

const maximumLength = 2000

/** A page of HTML is no sentence. */
function plain(message: string): string | undefined {
  const trimmed = message.trim()
  return trimmed === '' || trimmed.startsWith('<') ? undefined : trimmed.slice(0, maximumLength)
}

function statusFrom(value: unknown): number | undefined {
  const status = Number(value)
  return status >= 400 && status <= 599 ? status : undefined
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : typeof value === 'number' ? String(value) : undefined
}
