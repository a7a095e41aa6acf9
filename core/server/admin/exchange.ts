import type { BlockList } from 'node:net'
import type { Admin, AdminExchange } from '../../contracts/admin-route.ts'
import type { Logger } from '../../foundation/logger.ts'
import type { Settings } from '../../framework/settings.ts'
import { jsonIn, readText, withoutByteOrderMark } from '../body.ts'
import type { LiveBodies } from '../live-bodies.ts'
import type { Channel, HeaderReader } from '../channel.ts'
import type { WholeResponse } from '../whole-response.ts'
import { sourceOf } from './reach.ts'

/** The same for all exchanges. */
export interface AdminExchangeParts {
  readonly log: Logger
  readonly bodies: LiveBodies
  readonly settings: Settings
}

/** One request to the admin API while it is open. */
export class OpenExchange implements AdminExchange {
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  readonly log: Logger
  /** The web `Response` that the route has returned. */
  streamed: WholeResponse | undefined
  readonly #channel: Channel
  readonly #parts: AdminExchangeParts
  readonly #trusted: BlockList
  #body: ReturnType<LiveBodies['open']> | undefined
  #admin: Admin | undefined

  constructor(parts: AdminExchangeParts, id: string, channel: Channel, params: Readonly<Record<string, string>>, trusted: BlockList) {
    this.id = id
    this.params = params
    this.log = parts.log
    this.#channel = channel
    this.#parts = parts
    this.#trusted = trusted
  }

  get request(): Request {
    return this.#channel.request
  }

  get headers(): HeaderReader {
    return this.#channel.headers
  }

  get address(): string | undefined {
    return sourceOf((this.request as { readonly ip?: string }).ip, this.headers.get('x-forwarded-for'), this.#trusted)
  }

  get query(): URLSearchParams {
    return this.#channel.query
  }

  get signal(): AbortSignal {
    return this.request.signal
  }

  get admin(): Admin {
    if (!this.#admin) throw new Error('this route does not authenticate, so there is no admin')
    return this.#admin
  }

  admitted(admin: Admin): void {
    this.#admin = admin
  }

  async json(): Promise<unknown> {
    const { bodies, settings } = this.#parts
    this.#body ??= bodies.open(`admin:${this.#admin?.id}`)
    return jsonIn(withoutByteOrderMark(await readText(this.#channel, settings.maxBodyBytes, this.#body)))
  }

  end(): void {
    this.#body?.release()
  }
}
