/** The content of a reply, in any dialect. */
export interface Reading {
  readonly text: string
  readonly refusal: string
  /** The text of all forms of reasoning, in order. */
  readonly reasoning: string
  readonly toolCalls: readonly ToolCallReading[]
  /** The addresses that the text cites, in order. */
  readonly citations: readonly string[]
  /** The addresses that searches found, in order. */
  readonly sources: readonly string[]
  /** Other acts of the model or its vendor, by their names in the Responses protocol: searches, compactions, calls of its tools. */
  readonly others: readonly string[]
  /** Null where the vendor told none. */
  readonly usage: UsageReading | null
  /** Null where the vendor never said why it stopped. */
  readonly finish: string | null
  readonly error: ErrorReading | null
}

export interface ToolCallReading {
  readonly name: string
  readonly arguments: string
  /** The argument is free text. */
  readonly custom: boolean
}

/** `input` includes cached tokens, `output` includes reasoning. Null if the vendor does not report it. */
export interface UsageReading {
  readonly input: number
  readonly cached: number | null
  readonly cacheWrite: number | null
  readonly output: number
  readonly reasoning: number | null
}

export interface ErrorReading {
  /** Null for an error inside a stream. */
  readonly status: number | null
  readonly code: string | null
  readonly message: string
  /** The vendor's whole error, as JSON. */
  readonly body: string
}

/** A reading while it is being put together. */
export class Draft {
  text = ''
  refusal = ''
  reasoning = ''
  readonly toolCalls: { name: string; arguments: string; custom: boolean }[] = []
  readonly citations: string[] = []
  readonly sources: string[] = []
  readonly others: string[] = []
  usage: UsageReading | null = null
  finish: string | null = null

  reading(error: ErrorReading | null = null): Reading {
    const { text, refusal, reasoning, toolCalls, citations, sources, others, usage, finish } = this
    return { text, refusal, reasoning, toolCalls, citations, sources, others, usage, finish, error }
  }
}
