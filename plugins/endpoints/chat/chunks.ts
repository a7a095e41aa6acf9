import type { JsonObject } from '../../../core/index.ts'

/** The facts that every chunk repeats. */
export interface CompletionFacts {
  readonly id: string
  readonly created: number
  readonly model: string
}

/** Makes the chunks of a stream. Deltas of text only encode their text: the rest is made once per choice. */
export class Chunks {
  readonly #facts: string
  readonly #last: string
  #beside = ''

  /** `announcesUsage`: chunks say that the usage is still to come. */
  constructor({ id, created, model }: CompletionFacts, announcesUsage: boolean) {
    const facts = JSON.stringify({ id, object: 'chat.completion.chunk', created, model })
    this.#facts = `data: ${facts.slice(0, -1)}`
    this.#last = announcesUsage ? ',"usage":null}\n\n' : '}\n\n'
  }

  /** Members of the vendor's that follow the facts from now on. */
  set beside(members: JsonObject) {
    const text = JSON.stringify(members).slice(1, -1)
    this.#beside = text === '' ? '' : `,${text}`
  }

  /** The start and the end of a chunk around a delta. */
  around(index: number): { readonly head: string; readonly tail: string } {
    return {
      head: `${this.#facts}${this.#beside},"choices":[{"index":${index},"delta":`,
      tail: `,"logprobs":null,"finish_reason":null}]${this.#last}`,
    }
  }

  /** A chunk with one choice. */
  choice(choice: JsonObject): string {
    return `${this.#facts}${this.#beside},"choices":[${JSON.stringify(choice)}]${this.#last}`
  }

  usage(usage: JsonObject): string {
    return `${this.#facts}${this.#beside},"choices":[],"usage":${JSON.stringify(usage)}}\n\n`
  }
}

export const done = 'data: [DONE]\n\n'
