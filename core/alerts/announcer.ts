import type { Alert, AlertClaim, AlertStore, RaisedAlert } from '../contracts/alert.ts'
import type { Ids } from '../foundation/ids.ts'

/** An alert before it is told. */
export type AlertDraft = Omit<Alert, 'id' | 'at' | 'resolves'> & { readonly resolves?: string | null }

/** Puts alerts into the store, and wakes whoever delivers them. */
export class Announcer {
  readonly store: AlertStore
  readonly #channels: readonly string[]
  readonly #ids: Ids
  readonly #wake: () => void

  constructor(store: AlertStore, channels: readonly string[], ids: Ids, wake: () => void) {
    this.store = store
    this.#channels = channels
    this.#ids = ids
    this.#wake = wake
  }

  /** False if another process told it, by the first of the claims. */
  async tell(draft: AlertDraft, claims: readonly AlertClaim[]): Promise<boolean> {
    const isTold = await this.store.raise({ ...(await this.drawUp(draft)), claims })
    if (isTold) this.#wake()
    return isTold
  }

  /** For a note that is changed with it. Call `told` when that is done. */
  async drawUp({ resolves = null, ...draft }: AlertDraft): Promise<Omit<RaisedAlert, 'claims'>> {
    const alert = { id: this.#ids.make('alert'), at: await this.store.now(), ...draft, resolves }
    return { alert: { ...alert, title: cut(alert.title, maxTitle), message: cut(alert.message, maxMessage) }, channels: this.#channels }
  }

  told(): void {
    this.#wake()
  }
}

const maxTitle = 200
const maxMessage = 1_000

/** Names that operators chose may be long. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`
}
