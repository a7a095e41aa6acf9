import type { GenerationEvent } from './events.ts'
import type { JsonObject, Schema } from '../foundation/json.ts'
import type { Credential } from './provider.ts'
import type { GenerationRequest } from './request.ts'
import type { RunContext } from './run-context.ts'

// The body of `POST /v1/systemone`: docs/protocol/decisions.md#request. States and criteria may be any JSON.

/** Text, or structured JSON in its place. */
const described = { type: ['string', 'object', 'array'] } as const
const criterion = { type: ['string', 'object', 'array', 'number', 'boolean', 'null'] } as const

export const maxOptions = 255
export const maxLevels = 10

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
    criteria: { type: 'object', minProperties: 1, maxProperties: maxOptions, additionalProperties: criterion },
  },
} as const satisfies Schema

const score = {
  type: 'object',
  required: ['type', 'criteria'],
  properties: {
    type: { const: 'score' },
    instructions: described,
    criteria: { type: 'array', minItems: 1, maxItems: maxLevels, items: criterion },
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

/** A decision request, without members that the protocol does not know. */
export interface DecisionRequest {
  readonly model: string
  readonly state: Description
  readonly questions: Readonly<Record<string, Question>>
}

/** The answer to one question, with the same `type`. The vendor's extra members are passed on to the caller. */
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
      /** Keyed by the level's index, starting at `"0"`. */
      readonly probabilities?: Readonly<Record<string, number>>
      readonly legend?: Readonly<Record<string, Criterion>>
    } & JsonObject)

export interface DecisionReply {
  /** The version that answered, if it differs from the requested one. Without a prefix. */
  readonly model?: string
  /** One per question. Core rejects a reply with a missing or mismatched answer. */
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  /** Sent to the caller, including the vendor's extra members. Undefined if the vendor did not count: then core estimates. */
  readonly usage: DecisionUsage | undefined
  /** The vendor's other members, passed on to the caller. */
  readonly extra?: JsonObject
}

export type DecisionUsage = { readonly input_tokens: number; readonly output_tokens: number } & JsonObject

/**
 * Answers decisions, through a vendor's service or by asking a model. Its models are listed in the catalog as endpoints of
 * `kind: 'decision'`, whose `upstreamModel` is the versioned id.
 */
export interface DecisionClient {
  /** The slug in `provider/model`. */
  readonly provider: string
  /** Its models need the prefix: a bare name never refers to them. */
  readonly prefixOnly?: boolean
  /** Core picks, rotates and cools them down. Leave them out if there is only one. */
  readonly credentials?: readonly Credential[]
  /** A decision that takes longer fails with 504. Default: 60 s. */
  readonly timeoutMs?: number
  /** Maps a name without its prefix to the versioned id; undefined if this client has no such model. */
  resolve(model: string): string | undefined
  /**
   * Called once per attempt, and again with another credential if the failure's kind allows it. Throws `ProviderFailure`: core answers
   * 424, 429 or 504 depending on its kind, and 422 for `invalid-request`. A `GatewayError` reaches the caller as it is.
   */
  decide(call: DecisionCall): Promise<DecisionReply>
}

export interface DecisionCall {
  /** `model` is the versioned id, without a prefix. */
  readonly request: DecisionRequest
  readonly credentialId: string | undefined
  /** This attempt's signal. Aborted when the client disconnects or the decision takes too long. */
  readonly signal: AbortSignal
  readonly context: RunContext
  /**
   * Asks a model, with the same routing, permissions, limits and retries as a caller's own request, but without history or input guards.
   * Throws `GatewayError`. Its usage is billed and recorded instead of the reply's `usage`, so list the client's own endpoints at price 0.
   */
  generate(request: GenerationRequest): AsyncIterable<GenerationEvent>
}

/** An answered decision, and the model that answered it. */
export interface Decided extends DecisionReply {
  /** `provider/model`, with the version that answered. */
  readonly model: string
  readonly usage: DecisionUsage
  readonly attempts: number
}
