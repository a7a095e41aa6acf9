import type { GatewayError } from '../../foundation/errors.ts'
import type { HeaderReader } from '../channel.ts'
import type { OpenConnection } from './open-connection.ts'

const intervalMs = 2_000
const keyHeaders = ['authorization', 'x-api-key', 'x-goog-api-key'] as const

/** Finds open connections whose key is accepted no longer. Each message is authenticated, but an idle connection sends none. */
export class KeyWatch {
  readonly #open: ReadonlySet<OpenConnection>
  readonly #refusal: (headers: HeaderReader) => Promise<GatewayError | undefined>
  #timer: NodeJS.Timeout | undefined

  /** `refusal` resolves with the 401 for a key that is accepted no longer. */
  constructor(open: ReadonlySet<OpenConnection>, refusal: (headers: HeaderReader) => Promise<GatewayError | undefined>) {
    this.#open = open
    this.#refusal = refusal
  }

  /** Call when a connection was opened. */
  begin(): void {
    this.#timer ??= setInterval(() => void this.#look(), intervalMs).unref()
  }

  /** Each key is looked up once, no matter how many connections use it. */
  async #look(): Promise<void> {
    if (this.#open.size === 0) {
      clearInterval(this.#timer)
      this.#timer = undefined
    }
    const connections = [...this.#open].filter(({ isServed, protocol }) => isServed && protocol.auth !== 'none')
    for (const [, sharing] of Map.groupBy(connections, ({ headers }) => keyHeaders.map(name => headers.get(name)).join('\n'))) {
      const error = await this.#refusal(sharing[0]!.headers)
      if (error) for (const connection of sharing) connection.revoke(error)
    }
  }
}
