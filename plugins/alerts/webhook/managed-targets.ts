import { GatewayError, invalidRequest, type Clock, type Ids } from '../../../core/index.ts'
import type { HttpClient } from '../../../core/kit.ts'
import {
  messageId,
  type AlertMessage,
  type AlertMessageFilter,
  type AlertOutbox,
  type AlertTargetStore,
  type PageQuery,
} from '../../../core/stores.ts'
import type { AlertTargets, AlertTargetSettings, AlertTargetView, AlertTest } from '../../../core/admin.ts'
import { checkedAddress, shownAddress } from './address.ts'
import { bodyOf } from './body.ts'
import { testNotice } from './notice.ts'
import { post } from './post.ts'
import type { Recipient } from './recipient.ts'
import type { Recipients } from './recipients.ts'
import { expectedSecret, isSecret, newSecret } from './secret.ts'
import type { Sender } from './sender.ts'
import { TestRoom } from './test-room.ts'

const maxSecrets = 3

export interface ManagedParts {
  readonly store: AlertTargetStore
  readonly outbox: AlertOutbox
  readonly recipients: Recipients
  readonly sender: Sender
  readonly http: HttpClient
  readonly clock: Clock
  readonly ids: Ids
  readonly maxPerOrganization: number
  /** For targets of organizations. */
  readonly allowPrivate: boolean
}

/** What the admin API does with targets and messages. */
export class ManagedTargets implements AlertTargets {
  readonly #parts: ManagedParts
  readonly #tests: TestRoom

  constructor(parts: ManagedParts) {
    this.#parts = parts
    this.#tests = new TestRoom(parts.clock)
  }

  async page(org: string | undefined, { limit, after }: PageQuery): Promise<readonly AlertTargetView[]> {
    const { store, recipients } = this.#parts
    const isAfter = ({ id }: Recipient): boolean => after === undefined || (after.at === 0 && id > after.id)
    const operators = org === undefined ? [...recipients.operators.values()].toSorted(byId).filter(isAfter).slice(0, limit) : []
    const rest = limit - operators.length
    const stored = rest === 0 ? [] : await store.page(org, { limit: rest, after: after && after.at > 0 ? after : undefined })
    return await this.#views([...operators, ...stored.map(target => recipients.of(target))])
  }

  async find(id: string): Promise<AlertTargetView | undefined> {
    const recipient = await this.#parts.recipients.find(id)
    return recipient && (await this.#view(recipient))
  }

  async add(org: string, { secrets, ...settings }: AlertTargetSettings): ReturnType<AlertTargets['add']> {
    const { store, recipients, ids, clock, maxPerOrganization } = this.#parts
    const made = secrets === undefined && settings.format === 'json' ? newSecret() : undefined
    const signing = made === undefined ? (secrets ?? []) : [made]
    const target = {
      ...settings,
      url: this.#checkedUrl(settings.url),
      secrets: checkedSecrets(signing),
      id: ids.make('at'),
      org,
      createdAt: clock.now(),
    }
    if (!(await store.add(target, maxPerOrganization)))
      throw conflict(`The organization "${org}" has ${maxPerOrganization} targets, and may have no more. Delete one first.`, 'org')
    return { target: await this.#view(recipients.of(target)), secret: made }
  }

  async update(id: string, change: Partial<AlertTargetSettings>): Promise<AlertTargetView | undefined> {
    this.#refuseConfigured(id)
    const { store, recipients, outbox } = this.#parts
    const { url, secrets, ...others } = change
    const checked = {
      ...others,
      ...(url !== undefined && { url: this.#checkedUrl(url) }),
      ...(secrets && { secrets: checkedSecrets(secrets) }),
    }
    const target = await store.update(id, () => checked)
    // A 410 was the answer of the other address.
    if (url !== undefined) await outbox.resume(id)
    return target && (await this.#view(recipients.of(target)))
  }

  async remove(id: string): Promise<boolean> {
    this.#refuseConfigured(id)
    const { store, outbox } = this.#parts
    const isThere = await store.remove(id)
    if (isThere) await outbox.forget(id)
    return isThere
  }

  async removeAll(org: string): Promise<void> {
    for (;;) {
      const targets = await this.#parts.store.page(org, { limit: 100 })
      for (const { id } of targets) await this.remove(id)
      if (targets.length === 0) return
    }
  }

  async test(id: string): Promise<AlertTest | undefined> {
    const { recipients, outbox, http, clock, ids } = this.#parts
    const recipient = await recipients.find(id)
    if (!recipient) return undefined
    this.#tests.enter(id)
    const now = clock.now()
    const body = bodyOf(recipient.format, testNotice(recipient.name, recipient.org, now))
    const startedAt = clock.elapsed()
    const letter = { id: messageId(id, ids.make('test')), body, seconds: Math.floor(now / 1000) }
    const { isDelivered, status, failure } = await post(http, recipient, letter)
    if (isDelivered) await outbox.resume(id)
    return { isDelivered, status, failure, elapsedMs: Math.round(clock.elapsed() - startedAt) }
  }

  async messages(filter: AlertMessageFilter, query: PageQuery): Promise<readonly AlertMessage[]> {
    return await this.#parts.outbox.page(filter, query)
  }

  async message(id: string): Promise<AlertMessage | undefined> {
    return await this.#parts.outbox.find(id)
  }

  async resend(id: string): Promise<boolean> {
    const isDue = await this.#parts.outbox.resend(id)
    if (isDue) this.#parts.sender.wake()
    return isDue
  }

  #checkedUrl(url: string): string {
    return checkedAddress(url, this.#parts.allowPrivate)
  }

  #refuseConfigured(id: string): void {
    if (this.#parts.recipients.operators.has(id)) throw conflict('This target is in the config of the gateway. Change it there.', 'id')
  }

  async #view(recipient: Recipient): Promise<AlertTargetView> {
    return (await this.#views([recipient]))[0]!
  }

  async #views(found: readonly Recipient[]): Promise<readonly AlertTargetView[]> {
    const standings = await this.#parts.outbox.standings(found.map(({ id }) => id))
    return found.map(({ url, secrets, allowPrivate: _, ...recipient }) => ({
      ...recipient,
      ...shownAddress(url),
      secretEnds: secrets.map(secret => secret.slice(-4)),
      ...standings.get(recipient.id)!,
    }))
  }
}

/** Throws a 400 that quotes none of them. */
function checkedSecrets(secrets: readonly string[]): readonly string[] {
  if (secrets.length > maxSecrets)
    throw invalidRequest(`Invalid value for 'secret': expected at most ${maxSecrets} secrets, but got ${secrets.length}.`, 'secret')
  if (!secrets.every(isSecret)) throw invalidRequest(`Invalid value for 'secret': expected ${expectedSecret}.`, 'secret')
  return secrets
}

function byId(a: Recipient, b: Recipient): number {
  return a.id < b.id ? -1 : 1
}

function conflict(message: string, param: string): GatewayError {
  return new GatewayError({ status: 409, type: 'invalid_request_error', code: 'conflict', message, param })
}
