import type { AlertStore } from '../contracts/alert.ts'
import type { Ledger } from '../contracts/ledger.ts'

export interface FullCredit {
  readonly balanceUsd: number
  /** The balance when credit was last added, as far as that is known. */
  readonly fullUsd: number
  /** Another number each time that credit is added. */
  readonly run: number
}

const maxTries = 5

/** Remembers how much credit each organization had when it was last added to: parts of a credit are parts of that. */
export class FullCredits {
  readonly #store: AlertStore
  readonly #ledger: Ledger

  constructor(store: AlertStore, ledger: Ledger) {
    this.#store = store
    this.#ledger = ledger
  }

  /** Call when credit was added, with the balance after it. */
  async added(org: string, balanceUsd: number): Promise<void> {
    const name = nameOf(org)
    for (let tries = 0; tries < maxTries; tries++)
      if (await this.#store.change(name, await this.#version(name), { full_usd: balanceUsd })) return
  }

  async of(org: string): Promise<FullCredit> {
    const name = nameOf(org)
    for (let tries = 0; ; tries++) {
      // In this order: a balance that is read first may be from before the credit was added.
      const [note] = await this.#store.notes(name)
      const balanceUsd = await this.#ledger.balance(org)
      const known = note ? Number(note.value['full_usd']) : -Infinity
      if (note && balanceUsd <= known) return { balanceUsd, fullUsd: known, run: note.version }
      // The first time, or credit was added while nobody watched.
      const fullUsd = Math.max(0, balanceUsd)
      const isKept = await this.#store.change(name, note?.version, { full_usd: fullUsd })
      if (isKept || tries >= maxTries) return { balanceUsd, fullUsd, run: (note?.version ?? 0) + 1 }
    }
  }

  async #version(name: string): Promise<number | undefined> {
    return (await this.#store.notes(name))[0]?.version
  }
}

/** No name begins another. */
function nameOf(org: string): string {
  return `credit/${encodeURIComponent(org)}/`
}
