import type { Clock, Ids, Options, Registrar } from '../../../core/index.ts'
import type { AlertOutbox, AlertStore, AlertTargetStore, Sealer } from '../../../core/stores.ts'
import { Channel } from './channel.ts'
import { ManagedTargets } from './managed-targets.ts'
import { operatorTargets } from './operator-targets.ts'
import type { webhookOptions } from './options.ts'
import { Recipients } from './recipients.ts'
import { Sender } from './sender.ts'

export interface WebhookParts {
  readonly options: Options<typeof webhookOptions>
  readonly alerts: AlertStore
  readonly targets: AlertTargetStore
  readonly outbox: AlertOutbox
  readonly sealer: Sealer
  readonly clock: Clock
  readonly ids: Ids
}

export interface LoadedWebhook {
  readonly channel: Channel
  readonly sender: Sender
  readonly managed: ManagedTargets
}

export function loadWebhook({ http, log }: Registrar, parts: WebhookParts): LoadedWebhook {
  const { options, alerts, targets: store, outbox, sealer, clock, ids } = parts
  const allowPrivate = options.allowPrivateAddresses
  const recipients = new Recipients(operatorTargets(options.targets, sealer), store, outbox, allowPrivate)
  const sender = new Sender({ outbox, alerts, recipients, http, clock, log, random: Math.random })
  const maxPerOrganization = options.maxTargetsPerOrganization
  const managed = new ManagedTargets({ store, outbox, recipients, sender, http, clock, ids, maxPerOrganization, allowPrivate })
  return { channel: new Channel(recipients, outbox, sender), sender, managed }
}
