import type { Alert, AlertAudience, AlertChannel } from '../../../core/admin.ts'
import { messageId, type AlertOutbox } from '../../../core/stores.ts'
import { messageLimit } from './letters.ts'
import type { Recipients } from './recipients.ts'
import type { Sender } from './sender.ts'

/** Puts a message for each target into the outbox. An alert that comes twice is told once. */
export class Channel implements Pick<AlertChannel, 'deliver'> {
  readonly #recipients: Recipients
  readonly #outbox: AlertOutbox
  readonly #sender: Sender

  constructor(recipients: Recipients, outbox: AlertOutbox, sender: Sender) {
    this.#recipients = recipients
    this.#outbox = outbox
    this.#sender = sender
  }

  async deliver(alert: Alert, audience: AlertAudience, signal: AbortSignal): Promise<void> {
    for (const recipient of await this.#recipients.for(alert, audience)) {
      signal.throwIfAborted()
      const { id: target, org } = recipient
      const message = { id: messageId(target, alert.id), target, org, kind: alert.kind, about: alert.org, alert: alert.id }
      await this.#outbox.add(message, messageLimit(recipient))
    }
    this.#sender.wake()
  }
}
