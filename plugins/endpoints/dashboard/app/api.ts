import type { Parameters } from './place.ts'

/** The code of replies that cannot come from the gateway. */
const notFromGateway = 'not_from_gateway'

/** An answer of the admin API that is not a success, or none at all. */
export class ApiError extends Error {
  /** 0: the gateway did not answer. */
  readonly status: number
  readonly code: string | undefined
  /** The path of the member at fault, such as `policy.zdr`. */
  readonly param: string | undefined

  constructor(status: number, message: string, code?: string, param?: string) {
    super(message)
    this.status = status
    this.code = code
    this.param = param
  }

  /** Advice for the reader, unless the message already gives it. */
  get advice(): string | undefined {
    if (this.code === notFromGateway) return undefined
    if (this.status === 0) return 'Check that it is running and that this machine can reach it.'
    if (this.status === 429 || this.status === 503) return 'Wait a moment, then try again.'
    if (this.status >= 500) return 'See the log of the gateway.'
    return undefined
  }
}

export interface ListOf<T> {
  readonly data: readonly T[]
  readonly has_more: boolean
  readonly next_cursor: string | null
}

/** Fired on `window` when the session has ended. */
export const signedOut = 'turnpike:signed-out'
/** Fired on `window` when somebody has signed in. */
export const signedIn = 'turnpike:signed-in'

let antiForgery: string | undefined

/** Every change carries it. */
export function setAntiForgery(token: string | undefined): void {
  antiForgery = token
}

/** While nobody is signed in, requests are pointless. */
export function isSignedIn(): boolean {
  return antiForgery !== undefined
}

/** The admin API. Paths start below `/admin/v1`. Throws an `ApiError`. */
export const api = {
  get: <T>(path: string, query?: Parameters, signal?: AbortSignal): Promise<T> => json<T>('GET', withQuery(path, query), undefined, signal),
  post: <T>(path: string, body: unknown, signal?: AbortSignal): Promise<T> => json<T>('POST', path, body, signal),
  patch: <T>(path: string, body: unknown): Promise<T> => json<T>('PATCH', path, body),
  delete: <T>(path: string): Promise<T> => json<T>('DELETE', path),
  /** The reply as it is, such as an event stream. */
  send: (method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> =>
    send(method, address(path), body, signal),
}

/** Routes outside the admin API. */
export const session = {
  read: async <T>(): Promise<T> => (await contentOf(await send('GET', 'session'))) as T,
  start: async (token: string): Promise<void> => void (await send('POST', 'session', { token })),
  end: async (): Promise<void> => {
    // Another tab may have signed in again since, with another token.
    setAntiForgery((await session.read<{ readonly anti_forgery?: string }>()).anti_forgery)
    await send('DELETE', 'session')
  },
}

export function withQuery(path: string, query: Parameters = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  const text = new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`
}

async function json<T>(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<T> {
  return (await contentOf(await send(method, address(path), body, signal), signal)) as T
}

async function contentOf(reply: Response, signal?: AbortSignal): Promise<unknown> {
  try {
    return await reply.json()
  } catch (error) {
    if (signal?.aborted) throw error
    if (error instanceof SyntaxError) throw foreignAnswer(reply)
    throw new ApiError(0, "The gateway's reply broke off.")
  }
}

function foreignAnswer({ status, headers }: Response): ApiError {
  const type = headers.get('content-type')?.split(';')[0] || 'something else'
  const message = `This reply is not from the gateway's admin API: expected JSON, but got ${type} with the status ${status}. A proxy may be in between.`
  return new ApiError(status, message, notFromGateway)
}

function address(path: string): string {
  return `admin/v1${path}`
}

async function send(method: string, url: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  const headers = {
    ...(method !== 'GET' && antiForgery !== undefined && { 'x-anti-forgery': antiForgery }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  }
  let reply: Response
  try {
    reply = await fetch(url, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }), ...(signal && { signal }) })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'The gateway does not answer.')
  }
  if (reply.ok) return reply
  if (reply.status === 401 && url !== 'session') dispatchEvent(new Event(signedOut))
  throw await errorOf(reply)
}

async function errorOf(reply: Response): Promise<ApiError> {
  const body = (await contentOf(reply).catch((error: unknown) => error)) as ErrorBody | ApiError | null
  if (body instanceof ApiError) return body
  const { message, code, param } = body?.error ?? {}
  // Decisions have their own error body.
  const detail = body?.detail
  const text = message ?? detail?.message ?? `The gateway answered with the status ${reply.status}.`
  return new ApiError(reply.status, text, code ?? detail?.error_type, param ?? undefined)
}

interface ErrorBody {
  readonly error?: { readonly message?: string; readonly code?: string; readonly param?: string | null }
  readonly detail?: { readonly message?: string; readonly error_type?: string }
}
