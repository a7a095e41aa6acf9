import { createGateway, type Gateway } from '../../../core/gateway.ts'
import { definePlugin, type Registry } from '../../../core/index.ts'
import { AlertChannels, type Alert, type AlertChannel } from '../../../core/admin.ts'
import { AlertStore, storeServiceNames } from '../../../core/stores.ts'
import alertWebhook from '../../../plugins/alerts/webhook/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import sql from '../../../plugins/stores/sql/index.ts'
import { masterKey } from '../stores/sql.ts'

export interface WebhookGateway {
  readonly gateway: Gateway
  /** Stores an alert, and gives it to the channel as core does. */
  tell(alert: Alert): Promise<void>
  deliver(alert: Alert): Promise<void>
}

/** A gateway with one target of the operator, and all else in this database. */
export async function webhookGateway(place: Parameters<typeof sql>[0], url: string): Promise<WebhookGateway> {
  let found: { readonly channels: Registry<AlertChannel>; readonly alerts: AlertStore }
  const taking = definePlugin({
    name: 'takes-channels',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { channels: AlertChannels, alerts: AlertStore },
    setup(_, __, needs) {
      found = needs
    },
  })({})
  const stores = [sql({ ...place, services: [...storeServiceNames] }), memory({}), localSealer({ masterKey })]
  const gateway = await createGateway({
    plugins: [...stores, alertWebhook({ targets: [{ url }] }), taking],
    settings: { logLevel: 'silent' },
  })
  const deliver = async (alert: Alert): Promise<void> => found.channels.get('webhook')!.deliver(alert, 'all', AbortSignal.timeout(30_000))
  return {
    gateway,
    deliver,
    async tell(alert) {
      await found.alerts.raise({ alert, channels: [] })
      await deliver(alert)
    },
  }
}
