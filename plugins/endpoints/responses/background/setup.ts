import { PluginError, type Clock, type Registrar } from '../../../../core/index.ts'
import { isPublicHost, WebhookSigner, type GatewayServices } from '../../../../core/kit.ts'
import type { BackgroundStore, RateLimiter } from '../../../../core/stores.ts'
import type { Background } from './background.ts'
import type { LoadedBackground } from './loaded.ts'
import type { BackgroundOptions, WebhookOptions } from './options.ts'

/** Loads what background responses need, when it is first used. */
export type LazyBackground = () => Promise<Background>

interface Parts {
  readonly store: BackgroundStore
  readonly limits: RateLimiter
  readonly clock: Clock
  readonly options: BackgroundOptions
  readonly services: GatewayServices
}

/** Nothing looks after other gateways' responses while this one starts. */
const firstUpkeepMs = 2_000
const shortestKeyBytes = 16
/** Longer, a stop does not wait for a store that is down or locked. */
const stopWaitMs = 5_000

export function setUpBackground(gateway: Registrar, parts: Parts): LazyBackground {
  const { webhook } = parts.options
  if (webhook) checkWebhook(gateway.name, webhook)
  let loading: Promise<LoadedBackground> | undefined
  const load = (): Promise<LoadedBackground> =>
    (loading ??= import('./loaded.ts').then(({ loadBackground }) => loadBackground(gateway, parts)))
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  if (!gateway.lookOnly)
    gateway.onStart(() => {
      timer = setTimeout(() => void load().then(({ upkeep }) => isStopped || upkeep.start()), firstUpkeepMs).unref()
    })
  gateway.onStop(async () => {
    isStopped = true
    clearTimeout(timer)
    if (!loading) return
    const { background, upkeep, notices } = await loading
    const stopping = Promise.all([background.stop(), upkeep.stop(), notices?.stop()])
    await Promise.race([stopping, new Promise(resolve => setTimeout(resolve, stopWaitMs).unref())])
  })
  return async () => (await load()).background
}

function checkWebhook(plugin: string, { url, secret, allowPrivate }: WebhookOptions): void {
  const { username, password, protocol, hostname } = new URL(url)
  if (username || password) throw new PluginError(plugin, 'has credentials in its option background.webhook.url. Remove them')
  if (!allowPrivate && protocol !== 'https:')
    throw new PluginError(plugin, 'expected https: in its option background.webhook.url, got http:. Set allowPrivate for a private network')
  if (!allowPrivate && !isPublicHost(hostname))
    throw new PluginError(plugin, 'has a private address in its option background.webhook.url. Set allowPrivate if it should')
  if (new WebhookSigner(secret).bytes < shortestKeyBytes)
    throw new PluginError(plugin, `has a secret of fewer than ${shortestKeyBytes} bytes in its option background.webhook.secret`)
}
