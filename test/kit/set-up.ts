import type { HttpClient } from '../../core/contracts/http-client.ts'
import { createContainer, type Container } from '../../core/framework/container.ts'
import { extensionPoints } from '../../core/framework/extension-points.ts'
import { Clock, Ids, type PluginUse } from '../../core/index.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { PluginHost } from '../../core/framework/plugin-host.ts'

/** A clock that stands still until it is moved. */
export class FakeClock implements Clock {
  #now: number

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  elapsed(): number {
    return this.#now
  }

  pass(milliseconds: number): void {
    this.#now += milliseconds
  }
}

const refuse = (): Promise<never> => Promise.reject(new Error('no network here'))
const noNetwork: HttpClient = { send: refuse, media: refuse, close: async () => {} }

/** Plugins alone, set up and started as a gateway does it, without a gateway. */
export async function setUp(
  uses: readonly PluginUse[],
  clock: Clock = new FakeClock(),
): Promise<{ container: Container; host: PluginHost }> {
  const container = createContainer()
  container.value(Clock, clock)
  container.value(Ids, { make: prefix => `${prefix}_1` })
  for (const { token, create } of extensionPoints) container.value(token, create())
  const masks = new Masks()
  const host = new PluginHost(container, createLogger('silent', masks), noNetwork, masks)
  await host.setUp(uses)
  await host.start()
  return { container, host }
}
