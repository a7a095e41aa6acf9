import { ProviderFailure } from '../contracts/provider.ts'
import { own, wording } from '../foundation/wording.ts'

/** Explains a broken connection: the abort's reason if there is one, else a failure of kind `network` or `timeout`. */
export function networkFailure(error: unknown, signal: AbortSignal): unknown {
  return signal.aborted ? signal.reason : connectionFailure(error)
}

/** The same for an exchange that was not aborted. */
export function connectionFailure(error: unknown): ProviderFailure {
  if (ProviderFailure.is(error)) return error
  const code = (error as { code?: string }).code ?? (error as Error).name
  // Only proxies have a timeout for headers, for their answer to CONNECT.
  if (code === 'UND_ERR_CONNECT_TIMEOUT' || code === 'UND_ERR_HEADERS_TIMEOUT')
    return new ProviderFailure({
      kind: 'timeout',
      progress: 'none',
      message: wording`The provider did not accept a connection in time.`,
      cause: error,
    })
  const progress = unmade.test(code) ? 'none' : 'connected'
  return new ProviderFailure({
    kind: 'network',
    progress,
    message: wording`The connection to the provider failed (${own(code)}).`,
    cause: error,
  })
}

/** Error codes of failed connections: addresses, routes to them, and TLS. */
const unmade =
  /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOST|ENET|EADDR|ETIMEDOUT|EPROTO|ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED|UNABLE_TO_|DEPTH_ZERO)/
