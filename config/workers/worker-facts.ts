import { Coordination } from '../../core/contracts/coordination.ts'
import { check } from '../../core/framework/checked-plugins.ts'
import type { Gateway } from '../../core/gateway.ts'
import { ConfigError } from '../errors.ts'
import { adminAddress } from '../listen-admin.ts'
import type { LoadedConfig } from '../load.ts'
import { refuseReservedPort } from '../reserved-port.ts'
import { checkTls } from '../tls.ts'
import { workersOf } from './count.ts'
import type { Fixed } from './messages.ts'

/** True if no plugin of the config says where the workers count together. */
export function needsCoordinator({ plugins }: LoadedConfig): boolean {
  try {
    return !check(plugins).some(({ provides }) => provides.includes(Coordination))
  } catch {
    // The problem is reported when the gateway is opened.
    return false
  }
}

/** The facts that the parent needs about an open gateway. Throws a `ConfigError` if several processes cannot serve it. */
export function checkFacts({ file, server }: LoadedConfig, gateway: Gateway): Fixed {
  const { host, port, tls } = server
  if (tls) checkTls(tls)
  refuseReservedPort(port)
  const workers = workersOf(server.workers)
  if (workers > 1 && !gateway.keys.persistent)
    throw new ConfigError(file, [
      'API keys are kept in memory, so each worker would have its own. Keep them in a database, as defaults() does, or start with --workers 1.',
    ])
  return { host, port, workers, isHttps: tls !== undefined, admin: gateway.admin && adminAddress(server) }
}
