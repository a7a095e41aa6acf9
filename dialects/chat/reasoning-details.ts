import type { ReasoningDetail } from './wire.ts'

/** OpenRouter's `reasoning_details`: assembles a stream's pieces into the list of a whole reply, which is sent back unchanged. */
export class ReasoningDetails {
  #details: ReasoningDetail[] = []

  /** `whole`: the entries come from a whole reply, so they are complete. */
  add(details: readonly ReasoningDetail[], whole: boolean): void {
    for (const detail of details) {
      const last = this.#details.at(-1)
      if (!whole && last && continues(last, detail)) this.#details[this.#details.length - 1] = joined(last, detail)
      else this.#details.push(detail)
    }
  }

  /** Returns the list and starts over. Undefined if it holds only text, which can be sent back without it. */
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
