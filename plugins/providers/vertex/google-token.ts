import type { AuthClient } from 'google-auth-library'
import { ProviderFailure } from '../../../core/index.ts'
import type { GoogleCredentials } from './credentials.ts'
import { googleClient } from './google-client.ts'

/**
 * Access tokens by Google's own library, which is loaded when the first one is needed. It keeps a token until shortly before it
 * expires, and asks once for all who wait.
 */
export class GoogleToken {
  readonly #credentials: GoogleCredentials
  readonly #tokenUrl: string | undefined
  readonly #onSecret: (secret: string) => void
  #client: Promise<AuthClient> | undefined
  #authorization: string | undefined

  /** `onSecret` hears every new token, so that it can be masked. */
  constructor(credentials: GoogleCredentials, tokenUrl: string | undefined, onSecret: (secret: string) => void = () => {}) {
    this.#credentials = credentials
    this.#tokenUrl = tokenUrl
    this.#onSecret = onSecret
  }

  /** The headers that authorize a request. Throws `ProviderFailure`; an abort throws the signal's reason. */
  async headers(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    signal.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      return await Promise.race([this.#headers(), aborted.promise])
    } catch (error) {
      throw signal.aborted ? signal.reason : refused(error)
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  async #headers(): Promise<Readonly<Record<string, string>>> {
    this.#client ??= googleClient(this.#credentials, this.#tokenUrl)
    const headers: Readonly<Record<string, string>> = Object.fromEntries(await (await this.#client).getRequestHeaders())
    const { authorization } = headers
    if (authorization !== undefined && authorization !== this.#authorization) this.#onSecret(authorization.replace(/^Bearer /, ''))
    this.#authorization = authorization
    return headers
  }
}

/** What the library says may name the account: a failure of kind `auth` keeps it from the caller. */
function refused(error: unknown): ProviderFailure {
  const {
    message,
    response,
    status = response?.status,
  } = error as {
    readonly message: string
    readonly status?: number
    readonly response?: { readonly status?: number }
  }
  if (status !== undefined && status >= 500)
    return new ProviderFailure({ kind: 'unavailable', message: `Google gave no access token (status ${status}).`, cause: error })
  if (status === undefined && isNetwork(error))
    return new ProviderFailure({ kind: 'network', message: "The connection to Google's token service failed.", cause: error })
  return new ProviderFailure({ kind: 'auth', message: `Google gave no access token: ${message}`, status, cause: error })
}

/** The code stands somewhere down the causes. */
function isNetwork(error: unknown): boolean {
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown }
  if (typeof code === 'string' && /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOST|ENET|EPIPE|UND_ERR_)/.test(code)) return true
  return typeof cause === 'object' && cause !== null && isNetwork(cause)
}
