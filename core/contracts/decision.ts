import type { GenerationEvent } from './events.ts'
import type { JsonObject, Schema } from './json.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'

// The body of `POST /v1/systemone`: spec.md, "Decision request". Anything that is judged or described may be any JSON.

/** Text, or structured JSON that says the same. */
const described = { type: ['string', 'object', 'array'] } as const
const criterion = { type: ['string', 'object', 'array', 'number', 'boolean', 'null'] } as const

export const maximumOptions = 255
export const maximumLevels = 10

const noul = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { const: 'noul' },
    instructions: described,
    criteria: { type: 'object', properties: { true: criterion, false: criterion } },
  },
} as const satisfies Schema

const choice = {
  type: 'object',
  required: ['type', 'criteria'],
  properties: {
    type: { const: 'choice' },
    instructions: described,
    criteria: { type: 'object', minProperties: 1, maxProperties: maximumOptions, additionalProperties: criterion },
  },
} as const satisfies Schema

const score = {
  type: 'object',
  required: ['type', 'criteria'],
  properties: {
    type: { const: 'score' },
    instructions: described,
    criteria: { type: 'array', minItems: 1, maxItems: maximumLevels, items: criterion },
  },
} as const satisfies Schema

export const questionSchema = {
  type: 'object',
  required: ['type'],
  discriminator: { propertyName: 'type' },
  oneOf: [noul, choice, score],
} as const satisfies Schema

export const decisionRequestSchema = {
  type: 'object',
  required: ['model', 'state', 'questions'],
  properties: {
    model: { type: 'string', minLength: 1 },
    state: described,
    questions: { type: 'object', minProperties: 1, additionalProperties: questionSchema },
  },
} as const satisfies Schema

/** Any JSON value that describes something. */
export type Description = string | JsonObject | readonly unknown[]
export type Criterion = Description | number | boolean | null

export type Question =
  | {
      readonly type: 'noul'
      readonly instructions?: Description
      readonly criteria?: { readonly true?: Criterion; readonly false?: Criterion }
    }
  | { readonly type: 'choice'; readonly instructions?: Description; readonly criteria: Readonly<Record<string, Criterion>> }
  | { readonly type: 'score'; readonly instructions?: Description; readonly criteria: readonly Criterion[] }

/** One decision, as the caller asked for it. Members that the protocol does not know are gone. */
export interface DecisionRequest {
  readonly model: string
  readonly state: Description
  readonly questions: Readonly<Record<string, Question>>
}

/** The answer to one question: `type` is the question's. Members beyond the protocol's are the vendor's own, and go on to the caller. */
export type DecisionAnswer =
  | ({ readonly type: 'noul'; readonly noul: number } & JsonObject)
  | ({
      readonly type: 'choice'
      readonly choice: string
      readonly confidence?: number
      readonly probabilities?: Readonly<Record<string, number>>
    } & JsonObject)
  | ({
      readonly type: 'score'
      readonly score: number
      readonly confidence?: number
      /** By the level's index, from `"0"`. */
      readonly probabilities?: Readonly<Record<string, number>>
      readonly legend?: Readonly<Record<string, Criterion>>
    } & JsonObject)

export interface DecisionReply {
  /** One for each question. */
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number }
  /** What else the vendor said; goes on to the caller beside the rest. */
  readonly extra?: JsonObject
}

/** Answers decisions: a vendor's own service, or a model that is asked. Its models stand in the catalog with `kind: 'decision'`. */
export interface DecisionClient {
  /** The slug in `provider/model`. */
  readonly provider: string
  /** The versioned id that a name without its prefix stands for; undefined for what is no model of this client. Synchronous. */
  resolve(model: string): string | undefined
  /** Called once a decision. Throws `ProviderFailure`; core answers 424, 429 or 504 by its kind, and 422 for `invalid-request`. */
  decide(call: DecisionCall): Promise<DecisionReply>
}

export interface DecisionCall {
  /** `model` is the versioned id, without a prefix. */
  readonly request: DecisionRequest
  /** Aborted when the client is gone, or the decision takes too long. */
  readonly signal: AbortSignal
  readonly context: RunContext
  /**
   * Asks a model, for clients that decide by one: through the same routing, permission and attempts as a caller's own request, without
   * history or guards. Throws `GatewayError`. Its usage is added to the decision's record.
   */
  generate(request: GenerationRequest): AsyncIterable<GenerationEvent>
}

/** A decision that was answered, and by whom. */
export interface Decided extends DecisionReply {
  /** `provider/model` of the version that answered. */
  readonly model: string
}
