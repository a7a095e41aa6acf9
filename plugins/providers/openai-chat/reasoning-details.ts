import type { ReasoningDetail } from './wire.ts'

/** OpenRouter's `reasoning_details`: pieces of a stream become the list that a whole reply would hold, which goes back as it is. */
export class ReasoningDetails {
  #details: ReasoningDetail[] = []

  /** `whole`: entries of a reply that did not stream are complete. */
  add(details: readonly ReasoningDetail[], whole: boolean): void {
    for (const detail of details) {
      const last = this.#details.at(-1)
      if (!whole && last && continues(last, detail)) this.#details[this.#details.length - 1] = joined(last, detail)
      else this.#details.push(detail)
    }
  }

  /** The list as it stands, then a fresh start. Undefined where it holds nothing but text, which replays without it. */
  take(): string | undefined {
    const details = this.#details
    this.#details = []
    return details.some(({ signature, data }) => signature || data) ? JSON.stringify(details) : undefined
  }
}

function continues(last: ReasoningDetail, next: ReasoningDetail): boolean {
  if (last.type !== next.type || (last.index ?? 0) !== (next.index ?? 0)) return false
  return next.type === 'reasoning.summary' || (next.type === 'reasoning.text' && (!last.signature || !next.text))
}

function joined(last: ReasoningDetail, next: ReasoningDetail): ReasoningDetail {
  return {
    ...last,
    ...next,
    ...((last.text ?? next.text) != null && { text: (last.text ?? '') + (next.text ?? '') }),
    ...((last.summary ?? next.summary) != null && { summary: (last.summary ?? '') + (next.summary ?? '') }),
    ...((last.signature ?? next.signature) != null && { signature: next.signature || last.signature }),
  }
}
