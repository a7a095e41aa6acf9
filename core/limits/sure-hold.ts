import type { CreditHold } from '../contracts/ledger.ts'
import type { Allowance } from './allowance.ts'

/** Lets all output pass that a hold pays for in full, as long as it is surely still reserved. */
export class SureHold implements Pick<Allowance, 'take' | 'more' | 'reported'> {
  readonly #credit: CreditHold

  constructor(credit: CreditHold) {
    this.#credit = credit
  }

  get isSure(): boolean {
    return this.#credit.isSure !== false
  }

  take(text: string): number {
    return this.isSure ? text.length : 0
  }

  async more(): Promise<boolean> {
    return await isStillHeld(this.#credit)
  }

  reported(): void {}
}

/** False if the answer that the hold pays for has to end. */
export async function isStillHeld(credit: CreditHold): Promise<boolean> {
  return credit.isSure !== false || ((await credit.confirm?.()) ?? true)
}
