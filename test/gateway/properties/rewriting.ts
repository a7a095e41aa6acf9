import { policyRefusal, type OutputFilter } from '../../../core/index.ts'

/** Every `Z` becomes two other letters; the end is held back until more comes. */
export class Rewriting implements OutputFilter {
  readonly #refuses: boolean
  #held = ''

  constructor(refuses: boolean) {
    this.#refuses = refuses
  }

  push(text: string): ReturnType<OutputFilter['push']> {
    if (this.#refuses && text.length > 40) return { refuse: policyRefusal('Too much of the letter x.') }
    const all = this.#held + text
    this.#held = all.slice(-1)
    return all.slice(0, -1).replaceAll('Z', 'YY')
  }

  flush(): string {
    return this.#held.replaceAll('Z', 'YY')
  }
}
