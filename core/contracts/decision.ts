import type { GenerationEvent, TokenUsage } from './events.ts'
import type { JsonObject, Schema } from '../foundation/json.ts'
import type { Credential } from './provider.ts'
import type { GenerationRequest } from './request.ts'
import type { Warning } from './route.ts'
import type { RunContext } from './run-context.ts'

// The body of `POST /v1/systemone`: docs/protocol/decisions.md#request. States and criteria may be any JSON.

/** Text, or structured JSON in its place. */
const described = { type: ['string', 'object', 'array'] } as const
const criterion = { type: ['string', 'object', 'array', 'number', 'boolean', 'null'] } as const

/** The most options of a `choice`. */
export const maxOptions = 255
export const maxLevels = 10
/** Of a request with `form: 'items'`. */
export const maxItemLevels = 255

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

const longScore = {
  ...score,
  properties: { ...score.properties, criteria: { ...score.properties.criteria, maxItems: maxItemLevels } },
} as const satisfies Schema

const question = { type: 'object', required: ['type'], discriminator: { propertyName: 'type' } } as const

/** A question of a decision: docs/protocol/decisions.md#request. */
export const questionSchema = { ...question, oneOf: [noul, choice, score] } as const satisfies Schema

const properties = {
  /** A name of a decision model: docs/protocol/decisions.md#names. */
  model: { type: 'string', minLength: 1, maxLength: 256 },
  /** The situation that the questions are about. */
  state: described,
} as const

/** The body of `POST /v1/systemone`: docs/protocol/decisions.md#request. */
export const decisionRequestSchema = {
  type: 'object',
  required: ['model', 'state', 'questions'],
  properties: {
    ...properties,
    /** By ids that the caller chooses. */
    questions: { type: 'object', minProperties: 1, additionalProperties: questionSchema },
  },
} as const satisfies Schema

/** A decision of either form, as guardrails get it and give it back. */
export const anyDecisionSchema = {
  ...decisionRequestSchema,
  properties: {
    ...properties,
    questions: { type: 'object', minProperties: 1, additionalProperties: { ...question, oneOf: [noul, choice, longScore] } },
  },
} as const satisfies Schema

/** Any JSON value that describes something. */
export type Description = string | JsonObject | readonly unknown[]
/** The meaning of an option, a level or an answer. `null`: its name says enough. */
export type Criterion = Description | number | boolean | null

interface Named {
  /** The caller's name for the question, if that is not its id; null if it has none, so that the id was made up. */
  readonly name?: string | null
}

/** An option of a `choice` as the caller wrote it. */
export interface TypedOption {
  /** Its name in `criteria`. */
  readonly key: string
  /** As the answer has it: text, or true or false. */
  readonly value: string | boolean
}

/** A question of a decision: docs/protocol/decisions.md#request. */
export type Question = Named &
  (
    | {
        readonly type: 'noul'
        /** The question itself, and advice on how to answer it. */
        readonly instructions?: Description
        /** The meaning of both answers. Default: yes and no. */
        readonly criteria?: {
          /** When the answer is yes. */
          readonly true?: Criterion
          /** When the answer is no. */
          readonly false?: Criterion
        }
      }
    | {
        readonly type: 'choice'
        /** As in `noul`. */
        readonly instructions?: Description
        /** The options: a description of each by its name, or null. At most `maxOptions`. */
        readonly criteria: Readonly<Record<string, Criterion>>
        /** In the caller's order. Absent if `criteria` has that order and its names are the values. */
        readonly options?: readonly TypedOption[]
      }
    | {
        readonly type: 'score'
        /** As in `noul`. */
        readonly instructions?: Description
        /** The levels, the lowest first. */
        readonly criteria: readonly Criterion[]
      }
  )

/** A decision request, without members that the protocol does not know. */
export interface DecisionRequest {
  /** The caller's name. A client gets the versioned id. */
  readonly model: string
  /** The situation that the questions are about. */
  readonly state: Description
  /** By ids that the caller chose. The answers have the same. */
  readonly questions: Readonly<Record<string, Question>>
  /**
   * `items`: the state is text or a list of conversation items, whose parts may be images and JSON (`input_json`); `instructions` are text or
   * a list of such parts; a level with a label and a description is `{label, description}`; and an answer may be a refusal. Only clients
   * whose `limits` have `items` get it. Absent: the members are any JSON, without images.
   */
  readonly form?: 'items'
  /** For vendors that cache prompts. Clients get an HMAC of the caller's key. Only with `form: 'items'`, like the members below. */
  readonly prompt_cache_key?: string
  /** As the caller sent it. */
  readonly prompt_cache_options?: JsonObject
  /** Top-level members that the public Decisions API may know. Absent if a guardrail reads the content of the request. */
  readonly extra?: JsonObject
}

/** The answer to one question, with the same `type`. The vendor's extra members are passed on to the caller. */
export type DecisionAnswer =
  | ({
      readonly type: 'noul'
      /** The probability of yes, from 0 to 1. */
      readonly noul: number
    } & JsonObject)
  | ({
      readonly type: 'choice'
      /** The chosen option, by its name in `criteria`. */
      readonly choice: string
      /** How concentrated the probabilities are, from 0 to 1: docs/protocol/decisions.md#answers. */
      readonly confidence?: number
      /** By the names of the options. */
      readonly probabilities?: Readonly<Record<string, number>>
    } & JsonObject)
  | ({
      readonly type: 'score'
      /** The probability-weighted index of the level. */
      readonly score: number
      /** As of a `choice`. */
      readonly confidence?: number
      /** Keyed by the level's index, starting at `"0"`. */
      readonly probabilities?: Readonly<Record<string, number>>
      /** The levels, keyed in the same way. */
      readonly legend?: Readonly<Record<string, Criterion>>
    } & JsonObject)
  /** The model declined to answer. Only for requests with `form: 'items'`: for others it is a failure. */
  | ({ readonly type: 'refusal' } & JsonObject)

/** The answer of a `DecisionClient`, or of a call wrapper in its place. */
export interface DecisionReply {
  /** The version that answered, if it differs from the requested one. Without a prefix. */
  readonly model?: string
  /** One per question. Core rejects a reply with a missing or mismatched answer. */
  readonly answers: Readonly<Record<string, DecisionAnswer>>
  /** Sent to the caller, including the vendor's extra members. Undefined if the vendor did not count: then core estimates. */
  readonly usage: DecisionUsage | undefined
  /** The vendor's other members, passed on to the caller. */
  readonly extra?: JsonObject
  /** What the model did not get of the request, and what was added to its answer. The caller is told in a header. */
  readonly warnings?: readonly Warning[]
}

/** Cached tokens are part of `input_tokens`, and reasoning is part of `output_tokens`. */
export type DecisionUsage = {
  /** All of them, cached or not. */
  readonly input_tokens: number
  /** With those of reasoning. */
  readonly output_tokens: number
  /** Absent if the vendor tells no more. */
  readonly input_tokens_details?: {
    /** Read from a cache. */
    readonly cached_tokens?: number
    /** Written to a cache. */
    readonly cache_write_tokens?: number
  }
  /** Absent if the vendor tells no more. */
  readonly output_tokens_details?: {
    /** A part of `output_tokens`. */
    readonly reasoning_tokens?: number
  }
} & JsonObject

/**
 * The largest request that a client takes in one call of `decide`. Core splits the questions of a larger one, and asks another client where
 * that does not help. Use `Infinity` for no limit. The limits on tokens hold for `form: 'items'`: other requests keep those of the protocol.
 */
export interface DecisionLimits {
  /** True: the client gets requests with `form: 'items'` as they are, images included. False: as JSON, and none with images. Default: false. */
  readonly items?: boolean
  /** Of a `score`. Default: 10. */
  readonly levels?: number
  /** Default: no limit. */
  readonly questions?: number
  /** Default: 64,000. */
  readonly requestTokens?: number
  /** Of the state and the longest question. Default: 32,000. */
  readonly questionTokens?: number
}

/**
 * Answers decisions, through a vendor's service or by asking a model. Its models are listed in the catalog as endpoints of
 * `kind: 'decision'`, whose `upstreamModel` is the versioned id.
 */
export interface DecisionClient {
  /** The slug in `provider/model`. */
  readonly provider: string
  /** Its models need the prefix: a bare name never refers to them. */
  readonly prefixOnly?: boolean
  /**
   * Asks models that generate text by their own names: gets the requests for those names, such as `anthropic/claude-sonnet-4-5`, that no
   * client resolves. The calls are charged and permitted, not the decision itself. Default: false.
   */
  readonly judges?: boolean
  /** Core picks, rotates and cools them down. Leave them out if there is only one. */
  readonly credentials?: readonly Credential[]
  /** A decision that takes longer fails with 504. Default: 60 s. */
  readonly timeoutMs?: number
  /** Those of the vendor. Default: see each member. */
  readonly limits?: DecisionLimits
  /** Maps a name without its prefix to the versioned id; undefined if this client has no such model. */
  resolve(model: string): string | undefined
  /**
   * Called once per attempt, or once for each part of a split request, and again with another credential if the failure's kind allows it.
   * One failed part fails the attempt. Throws `ProviderFailure`: core answers
   * 424, 429 or 504 depending on its kind, and 422 for `invalid-request`. A `GatewayError` reaches the caller as it is.
   */
  decide(call: DecisionCall): Promise<DecisionReply>
}

/** One attempt at a decision, for `DecisionClient.decide`. */
export interface DecisionCall {
  /** `model` is the versioned id, without a prefix. */
  readonly request: DecisionRequest
  /** The id of one of the client's `credentials`. Undefined if it has none. */
  readonly credentialId: string | undefined
  /** This attempt's signal. Aborted when the client disconnects or the decision takes too long. */
  readonly signal: AbortSignal
  /** The caller and the policy of the request. */
  readonly context: RunContext
  /** The header `traceparent` to send to the vendor, if an observer follows the attempt. */
  readonly traceparent?: string | undefined
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
  /** As the caller gets it. */
  readonly usage: DecisionUsage
  /** The same as core bills it. */
  readonly billed: TokenUsage
  /** In US dollars; null if unknown. */
  readonly costUsd: number | null
  /** How many were made, with those at other clients. 0 if a call wrapper answered. */
  readonly attempts: number
}
