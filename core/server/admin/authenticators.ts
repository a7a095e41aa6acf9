import { readAdmin } from '../../admission/read-admin.ts'
import type { Admin, AdminAuthenticator } from '../../contracts/admin-route.ts'
import { GatewayError, PluginError } from '../../foundation/errors.ts'
import { describePluginError, Logger } from '../../foundation/logger.ts'
import { wire } from '../../framework/container.ts'
import { AdminAuthenticators } from '../../framework/extension-points.ts'
import type { Registry, RegistryEntry } from '../../framework/registry.ts'
import { LiveAdminServices } from './services.ts'

/** Asks the plugins who calls, if a request has no token. */
export class Authenticators {
  readonly #entries: Registry<AdminAuthenticator>
  readonly #services: LiveAdminServices
  readonly #log: Logger

  static {
    wire(this, [AdminAuthenticators, LiveAdminServices, Logger])
  }

  constructor(entries: Registry<AdminAuthenticator>, services: LiveAdminServices, log: Logger) {
    this.#entries = entries
    this.#services = services
    this.#log = log
  }

  /** `id`: of the request. Undefined if no plugin knows the caller. Throws what the first plugin throws. */
  async admit(id: string, request: Request): Promise<Admin | undefined> {
    for (const entry of this.#entries.entries()) {
      const admin = await this.#ask(entry, id, request)
      if (admin) return admin
    }
    return undefined
  }

  /** Throws a 503 if the plugin fails, or says something else than who calls. */
  async #ask({ contribution, name, plugin }: RegistryEntry<AdminAuthenticator>, id: string, request: Request): Promise<Admin | undefined> {
    try {
      const given: unknown = await contribution.admit(request, this.#services)
      if (given === undefined || given === null) return undefined
      const admin = readAdmin(given)
      if (typeof admin === 'string') throw new PluginError(plugin, `returned an admin from admit${admin}`)
      return admin
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : unknownCaller(thrown)
      if (error.status >= 500) {
        const fields = { request: id, plugin, authenticator: name, ...describePluginError(thrown, true, true) }
        this.#log.error('an admin authenticator failed', fields)
      }
      throw error
    }
  }
}

function unknownCaller(cause: unknown): GatewayError {
  const message = 'The gateway could not tell who you are. Try again, or send an admin token.'
  return new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
}
