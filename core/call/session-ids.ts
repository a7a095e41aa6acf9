import type { RequestScope } from '../contracts/request-scope.ts'
import { Sealer } from '../contracts/sealer.ts'
import { wire } from '../framework/container.ts'
import { recentValues } from '../runtime/recent-values.ts'

/** Callers choose their names. Longer ones name no session. */
const maxNameLength = 512
const maxRemembered = 1_000

/**
 * The ids of sessions: docs/sessions.md. An id is an HMAC of the caller's name for the session and the key's owner. So the name is kept
 * nowhere, and equal names of two owners are two sessions.
 */
export class SessionIds {
  readonly #sealer: Sealer
  readonly #known = recentValues<string, string>(maxRemembered)

  static {
    wire(this, [Sealer])
  }

  constructor(sealer: Sealer) {
    this.#sealer = sealer
  }

  /** The session of a request. `named`: by its body. Null: it belongs to none. */
  of({ sentSession, caller }: Pick<RequestScope, 'sentSession' | 'caller'>, named: string | undefined): string | null {
    const name = isName(sentSession) ? sentSession : named
    return isName(name) ? this.idOf(caller.owner, name) : null
  }

  idOf(owner: string, name: string): string {
    const text = `${owner}\n${name}`
    let id = this.#known.get(text)
    if (id === undefined) {
      id = `ses_${this.#sealer.mac('session', text).toString('hex', 0, 16)}`
      this.#known.set(text, id)
    }
    return id
  }
}

function isName(text: string | undefined): text is string {
  return text !== undefined && text !== '' && text.length <= maxNameLength
}
