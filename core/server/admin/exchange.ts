import type { BlockList } from 'node:net'
import type { Admin, AdminExchange } from '../../contracts/admin-route.ts'
import type { Logger } from '../../foundation/logger.ts'
import { jsonIn, readText, withoutByteOrderMark } from '../body.ts'
import type { LiveBodies } from '../live-bodies.ts'
import { requestUrl } from '../request-url.ts'
import { WebIncoming } from '../web-incoming.ts'
import { sourceOf } from './reach.ts'

/** One request to the admin API while it is open. */
export class OpenExchange implements AdminExchange {
  readonly id: string
  readonly request: Request
  readonly params: Readonly<Record<string, string>>
  readonly log: Logger
  readonly #maxBodyBytes: number
  readonly #bodies: LiveBodies
  readonly #trusted: BlockList
  #body: ReturnType<LiveBodies['open']> | undefined
  #admin: Admin | undefined

  constructor(
    id: string,
    request: Request,
    params: Readonly<Record<string, string>>,
    log: Logger,
    maxBodyBytes: number,
    bodies: LiveBodies,
    trusted: BlockList,
  ) {
    this.id = id
    this.request = request
    this.params = params
    this.log = log
    this.#maxBodyBytes = maxBodyBytes
    this.#bodies = bodies
    this.#trusted = trusted
  }

  get address(): string | undefined {
    return sourceOf((this.request as { readonly ip?: string }).ip, this.request.headers.get('x-forwarded-for'), this.#trusted)
  }

  get query(): URLSearchParams {
    return requestUrl(this.request).searchParams
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
    this.#body ??= this.#bodies.open(`admin:${this.#admin?.id}`)
    return jsonIn(withoutByteOrderMark(await readText(new WebIncoming(this.request), this.#maxBodyBytes, this.#body)))
  }

  end(): void {
    this.#body?.release()
  }
}
