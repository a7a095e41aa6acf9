import type { GenerationEvent } from './events.ts'
import type { JsonObject, Schema } from '../foundation/json.ts'
import type { Credential } from './provider.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'

// The body of `POST /v1/systemone`: docs/protocol/decisions.md#request. Anything that is judged or described may be any JSON.

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
    model: { type: 'string', minLength: 1, maxLength: 256 },
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
  /** The version that answered, where it is not the one that was asked. Without a prefix. */
  readonly model?: string
  /** One for each question; core refuses a reply in which one is missing or is not what was asked for. */
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  /** What the caller is told, vendor's own members and all. Undefined where the vendor did not count: then core guesses. */
  readonly usage: DecisionUsage | undefined
  /** What else the vendor said; goes on to the caller beside the rest. */
  readonly extra?: JsonObject
}

export type DecisionUsage = { readonly input_tokens: number; readonly output_tokens: number } & JsonObject

/**
 * Answers decisions: a vendor's own service, or a model that is asked. Its models stand in the catalog as endpoints of
 * `kind: 'decision'`, whose `upstreamModel` is the versioned id.
 */
export interface DecisionClient {
  /** The slug in `provider/model`. */
  readonly provider: string
  /** Its models are found by `provider/model` alone: a bare name never means one of them. */
  readonly prefixOnly?: boolean
  /** Core chooses, rotates and cools down; absent means that there is nothing to choose. */
  readonly credentials?: readonly Credential[]
  /** A decision that takes longer is a 504. Default: 60 s. */
  readonly timeoutMs?: number
  /** The versioned id that a name without its prefix stands for; undefined for what is no model of this client. Synchronous. */
  resolve(model: string): string | undefined
  /**
   * Called once an attempt: again with another credential where the failure's kind allows it. Throws `ProviderFailure`; core answers
   * 424, 429 or 504 by its kind, and 422 for `invalid-request`. A `GatewayError` goes to the caller as it is.
   */
  decide(call: DecisionCall): Promise<DecisionReply>
}

export interface DecisionCall {
  /** `model` is the versioned id, without a prefix. */
  readonly request: DecisionRequest
  readonly credentialId: string | undefined
  /** This attempt's own signal: aborted when the client is gone, or the decision takes too long. */
  readonly signal: AbortSignal
  readonly context: RunContext
  /**
   * Asks a model, for clients that decide by one: through the same routing, permission, limits and attempts as a caller's own request,
   * without history or input guards. Throws `GatewayError`. What is asked here is charged and recorded in place of the reply's `usage`,
   * so that the price of such a client's own endpoint is 0.
   */
  generate(request: GenerationRequest): AsyncIterable<GenerationEvent>
}

/** A decision that was answered, and by whom. */
export interface Decided extends DecisionReply {
  /** `provider/model` of the version that answered. */
  readonly model: string
  readonly usage: DecisionUsage
  readonly attempts: number
}
