import { type Registrar } from '../../../core/index.ts'
import { AlertChannels, AlertTargets } from '../../../core/admin.ts'
import type { LoadedWebhook, WebhookParts } from './loaded.ts'

/** Nothing is sent while the gateway starts. */
const firstLookMs = 2_000
/** Longer, a stop does not wait for a store that is down or locked. */
const stopWaitMs = 5_000

/** What sends is loaded after the start, or when it is first used. */
export function setUpWebhook(gateway: Registrar, parts: WebhookParts): void {
  let loading: Promise<LoadedWebhook> | undefined
  let isStopped = false
  const load = (): Promise<LoadedWebhook> => (loading ??= import('./loaded.ts').then(({ loadWebhook }) => loadWebhook(gateway, parts)))
  const managed = async (): Promise<LoadedWebhook['managed']> => (await load()).managed
  gateway.add(AlertChannels, {
    name: 'webhook',
    async deliver(alert, audience, signal) {
      const { channel, sender } = await load()
      await channel.deliver(alert, audience, signal)
      if (!isStopped) sender.start()
    },
  })
  gateway.provide(AlertTargets, {
    page: async (org, query) => (await managed()).page(org, query),
    find: async id => (await managed()).find(id),
    add: async (org, settings) => (await managed()).add(org, settings),
    update: async (id, change) => (await managed()).update(id, change),
    remove: async id => (await managed()).remove(id),
    removeAll: async org => (await managed()).removeAll(org),
    test: async id => (await managed()).test(id),
    messages: async (filter, query) => (await managed()).messages(filter, query),
    message: async id => (await managed()).message(id),
    resend: async id => (await managed()).resend(id),
  })
  let timer: NodeJS.Timeout | undefined
  if (!gateway.lookOnly)
    gateway.onStart(() => {
      timer = setTimeout(() => void load().then(({ sender }) => isStopped || sender.start()), firstLookMs).unref()
    })
  gateway.onStop(async () => {
    isStopped = true
    clearTimeout(timer)
    if (!loading) return
    const { sender } = await loading
    await Promise.race([sender.stop(), new Promise(resolve => setTimeout(resolve, stopWaitMs).unref())])
  })
}
