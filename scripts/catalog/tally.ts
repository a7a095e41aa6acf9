/** Counts omissions from the catalog, with examples. */
export class Tally {
  readonly #left = new Map<string, string[]>()

  leaveOut(reason: string, example: string): [] {
    const examples = this.#left.get(reason) ?? []
    this.#left.set(reason, examples)
    examples.push(example)
    return []
  }

  report(): string[] {
    return Array.from(this.#left, ([reason, examples]) => `${examples.length} left out: ${reason} (${sample(examples).join(', ')}, …)`)
  }
}

function sample(examples: readonly string[]): readonly string[] {
  const step = Math.max(1, Math.floor(examples.length / 4))
  return examples.filter((_, index) => index % step === 0).slice(0, 4)
}
