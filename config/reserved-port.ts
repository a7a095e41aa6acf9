import { isUnsafePort } from 'get-port-please'
import { ConfigError } from './errors.ts'

/** Throws a `ConfigError` for a port that browsers block. */
export function refuseReservedPort(port: number): void {
  if (port === 0 || !isUnsafePort(port)) return
  throw new ConfigError(undefined, [
    `Port ${port} is reserved for another protocol and blocked by browsers. Choose another port with --port or server.port.`,
  ])
}
