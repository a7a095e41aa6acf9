import { ProviderFailure } from '../contracts/provider.ts'

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
      message: 'The provider did not accept a connection in time.',
      cause: error,
    })
  return new ProviderFailure({ kind: 'network', message: `The connection to the provider failed (${code}).`, cause: error })
}
