import { createContainer } from '../../core/framework/container.ts'
import { Clock, systemClock } from '../../core/foundation/clock.ts'
import { extensionPoints } from '../../core/framework/extension-points.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { PluginHost } from '../../core/framework/plugin-host.ts'
import { Providers, type PluginUse, type Provider } from '../../core/index.ts'
import type { HttpClient } from '../../core/kit.ts'

/** The provider that a plugin adds, over this client. */
export async function providerOf(use: PluginUse, http: HttpClient): Promise<Provider> {
  const container = createContainer()
  for (const { token, create } of extensionPoints) container.value(token, create())
  container.value(Clock, systemClock)
  const masks = new Masks()
  await new PluginHost(container, createLogger('silent', masks), http, masks).setUp([use])
  return container.get(Providers).values()[0]!
}
