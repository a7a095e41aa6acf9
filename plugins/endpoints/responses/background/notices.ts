import { ProviderFailure, type Clock, type Logger } from '../../../../core/index.ts'
import { WebhookSigner, type HttpClient } from '../../../../core/kit.ts'
import type { BackgroundNotice, BackgroundStore } from '../../../../core/stores.ts'
import type { WebhookOptions } from './options.ts'

const timeoutMs = 15_000
/** A gateway that took a notice has so long to send it. Then another one may. */
const takenMs = 60_000
const minute = 60_000
/** The waits after failed tries. */
const waitsMs = [1_000, 10_000, minute, 5 * minute, 30 * minute, 120 * minute, 480 * minute]
/** The receiver wants no more of them. */
const gone = 410
/** So many notices may wait for their reply before more are taken. */
const maxUnderWay = 32

export interface NoticeParts {
  readonly store: BackgroundStore
  readonly http: HttpClient
  readonly clock: Clock
  readonly log: Logger
  readonly webhook: WebhookOptions
}

/** Tells the operator's webhook that responses are over. A try that failed is made again, by any gateway, with the same `webhook-id`. */
export class Notices {
  readonly #parts: NoticeParts
  readonly #signer: WebhookSigner
  readonly #stopping = new AbortController()
  readonly #underWay = new Set<Promise<void>>()
  #sending: Promise<void> | undefined
  #again = false

  constructor(parts: NoticeParts) {
    this.#parts = parts
    this.#signer = new WebhookSigner(parts.webhook.secret)
  }

  /** Sends what is due. Never rejects. */
  send(): void {
    if (this.#stopping.signal.aborted) return
    this.#again = this.#sending !== undefined
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = undefined
      if (this.#again) this.send()
    })
  }

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the gateway stops'))
    await this.#sending
    await Promise.all(this.#underWay)
  }

  async #sendAll(): Promise<void> {
    const { store, log } = this.#parts
    try {
      for (;;) {
        // A receiver that hangs holds up only its own notice, until too many do.
        while (this.#underWay.size >= maxUnderWay) await Promise.race(this.#underWay)
        const notices = await store.takeNotices(takenMs)
        if (notices.length === 0) return
        for (const notice of notices) this.#begin(notice)
      }
    } catch (error) {
      log.warn('could not read which background responses are over; trying again', { reason: reasonOf(error) })
    }
  }

  #begin(notice: BackgroundNotice): void {
    const failed = (error: unknown): void =>
      this.#parts.log.warn('could not note that a webhook was told; it may be told again', { response: notice.id, reason: reasonOf(error) })
    const sending = this.#send(notice)
      .catch(failed)
      .finally(() => this.#underWay.delete(sending))
    this.#underWay.add(sending)
  }

  async #send(notice: BackgroundNotice): Promise<void> {
    const { store, log } = this.#parts
    const { owner, id, tries } = notice
    let waitMs: number | undefined
    try {
      const status = await this.#post(notice)
      if (status < 200 || status >= 300) throw new Undelivered(`status ${status}`, status !== gone)
    } catch (error) {
      // Another gateway goes on.
      if (this.#stopping.signal.aborted) return
      const mayPass = !(error instanceof Undelivered) || error.mayPass
      waitMs = mayPass ? waitsMs[tries] : undefined
      const outcome =
        waitMs === undefined
          ? 'gave up telling the webhook of a background response'
          : 'could not tell the webhook of a background response; trying again'
      log.warn(outcome, { response: id, tries: tries + 1, reason: reasonOf(error) })
    }
    await store.putOff(owner, id, waitMs)
    // Later ones wait for the upkeep.
    if (waitMs !== undefined && waitMs < minute) setTimeout(() => this.send(), waitMs + 1).unref()
  }

  /** Follows no redirect. */
  async #post({ id, status, createdAt }: BackgroundNotice): Promise<number> {
    const { http, clock, webhook } = this.#parts
    const seconds = Math.floor(clock.now() / 1000)
    const eventId = `evt_${id}`
    const event = {
      id: eventId,
      object: 'event',
      type: `response.${status}`,
      created_at: Math.floor(createdAt / 1000),
      data: { id, status },
    }
    const body = JSON.stringify(event)
    const headers = {
      'content-type': 'application/json',
      'webhook-id': eventId,
      'webhook-timestamp': String(seconds),
      'webhook-signature': this.#signer.sign(eventId, seconds, body),
    }
    const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), this.#stopping.signal])
    const reply = await http.send({ method: 'POST', url: webhook.url, headers, body }, { signal, publicOnly: !webhook.allowPrivate })
    reply.body.on('error', () => {}).destroy()
    return reply.status
  }
}

class Undelivered extends Error {
  readonly mayPass: boolean

  constructor(reason: string, mayPass: boolean) {
    super(reason)
    this.mayPass = mayPass
  }
}

/** Never names the address, whose path may be a secret. */
function reasonOf(error: unknown): string {
  if (error instanceof Undelivered) return error.message
  if (!ProviderFailure.is(error)) return error instanceof Error && error.name === 'TimeoutError' ? 'no reply in time' : 'an error'
  const { code } = (error.cause ?? {}) as { readonly code?: unknown }
  return code === 'TURNPIKE_PRIVATE_ADDRESS'
    ? 'its name leads to a private address, which needs background.webhook.allowPrivate'
    : `the connection failed${typeof code === 'string' ? ` (${code})` : ''}`
}
