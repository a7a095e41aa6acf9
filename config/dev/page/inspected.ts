// The answers of the inspector's server.

export interface Listed {
  readonly version: number
  readonly requests: readonly Summary[]
}

export interface Summary {
  readonly id: string
  readonly at: number
  readonly version: number
  readonly isOpen: boolean
  readonly steps: number
  readonly method?: string
  readonly path?: string
  readonly status?: number
  readonly elapsedMs?: number
  readonly firstEventMs?: number | null
  readonly model?: string | null
  readonly provider?: string | null
  readonly keyId?: string | null
  readonly inputTokens?: number | null
  readonly outputTokens?: number | null
  readonly costUsd?: number | null
  readonly attempts?: number
  readonly errorCode?: string | null
}

export interface Inspected extends Omit<Summary, 'steps'> {
  readonly contentProblem: string | null
  readonly leftOut: number
  readonly isFull: boolean
  readonly notes: readonly { readonly kind: string; readonly summary: unknown }[]
  readonly steps: readonly Step[]
}

export interface Text {
  readonly text: string
  readonly isCut: boolean
}

export interface Step {
  readonly id: number
  readonly parent: number | null
  readonly plugin: string
  readonly kind: string
  readonly name: string
  readonly hook: string
  readonly atMs: number
  readonly elapsedMs: number | null
  readonly outcome: string
  readonly facts: Readonly<Record<string, string | number | boolean | null>>
  readonly contents: readonly (Text & { readonly label: string })[]
  readonly changes: readonly { readonly path: string; readonly before: Text; readonly after: Text }[]
  readonly events: readonly (Text & { readonly atMs: number })[]
  readonly eventCounts: Readonly<Record<string, number>>
  readonly error: StepError | null
}

export interface StepError {
  readonly class: string
  readonly status?: number | null
  readonly code?: string
  readonly kind?: string
  readonly message?: Text
  readonly frames?: readonly string[]
  readonly ownFrames?: number
}
