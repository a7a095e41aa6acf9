import type { Alert, AlertAudience } from '../../../core/admin.ts'
import { messageId, type AlertOutbox, type AlertTarget, type AlertTargetStore } from '../../../core/stores.ts'
import { concerns, isSevereEnough, type Recipient } from './recipient.ts'

/** More than an organization may have. */
const maxOfOrganization = 1_000

/** All targets: those of the operator, from the config, and those of organizations. */
export class Recipients {
  readonly operators: ReadonlyMap<string, Recipient>
  readonly #store: AlertTargetStore
  readonly #outbox: AlertOutbox
  readonly #allowPrivate: boolean

  /** `allowPrivate`: for those of organizations. */
  constructor(operators: readonly Recipient[], store: AlertTargetStore, outbox: AlertOutbox, allowPrivate: boolean) {
    this.operators = new Map(operators.map(recipient => [recipient.id, recipient]))
    this.#store = store
    this.#outbox = outbox
    this.#allowPrivate = allowPrivate
  }

  async find(id: string): Promise<Recipient | undefined> {
    const operator = this.operators.get(id)
    if (operator) return operator
    const target = await this.#store.find(id)
    return target && this.of(target)
  }

  of(target: AlertTarget): Recipient {
    return { ...target, orgs: [target.org], allowPrivate: this.#allowPrivate }
  }

  /** Who is told of an alert. An all-clear is for everyone who was told that something began. */
  async for(alert: Alert, audience: AlertAudience): Promise<readonly Recipient[]> {
    const stored =
      alert.org === null || audience !== 'all'
        ? []
        : (await this.#store.page(alert.org, { limit: maxOfOrganization })).map(each => this.of(each))
    const concerned = [...this.operators.values(), ...stored].filter(recipient => concerns(recipient, alert))
    const told: Recipient[] = []
    for (const recipient of concerned)
      if (isSevereEnough(recipient, alert) || (await this.#wasTold(recipient, alert.resolves))) told.push(recipient)
    return told
  }

  async #wasTold({ id }: Recipient, earlier: string | null): Promise<boolean> {
    return earlier !== null && (await this.#outbox.find(messageId(id, earlier))) !== undefined
  }
}
