import type { RetrievalCall, RetrievalRequest, RetrievalUsage } from './retrieval.ts'
import type { Endpoint } from './catalog.ts'

/** A text, or the tokens of one by the tokenizer of the model. */
export type EmbeddingInput = string | readonly number[]

/** The use that the caller has for the vectors. Models that know no such difference ignore it. */
export type EmbeddingPurpose = 'query' | 'document' | 'classification' | 'clustering' | 'similarity' | 'question' | 'fact' | 'code'

/** The forms in which a surface can pass vectors on. */
export type VectorFormat = 'float' | 'base64'

/** A request for vectors, as every surface can say it: docs/protocol/embeddings.md#request. */
export interface EmbeddingRequest extends RetrievalRequest {
  /** At least one. No text and no list of tokens is empty. */
  readonly input: readonly EmbeddingInput[]
  /** The length of the vectors. Undefined: the model's own. */
  readonly dimensions?: number | undefined
  /** The form that the caller wants. Core accepts either of a vendor, and the surface converts. */
  readonly format: VectorFormat
  /** Undefined: the model's default. */
  readonly purpose?: EmbeddingPurpose | undefined
}

/**
 * One vector: little-endian 32-bit floats in base64, numbers, or `json`, the text of a JSON array of numbers as the vendor sent it.
 */
export type Vector =
  | string
  | readonly number[]
  | Float32Array
  | {
      /** A JSON array of numbers. */
      readonly json: string
    }

/** The vendor's answer to one `EmbeddingCall`. */
export interface EmbeddingReply {
  /** One for each input, in their order. Core rejects any other number of them. */
  readonly vectors: readonly Vector[]
  /** Of this request. Undefined: core estimates. */
  readonly usage?: RetrievalUsage | undefined
}

/** The most that one request to a vendor may have. Core sends a larger batch in several requests. */
export interface EmbeddingLimits {
  /** How many texts. Default: no limit. */
  readonly inputs?: number | undefined
  /** In tokens, over all inputs. */
  readonly tokens?: number | undefined
}

/** One request to a vendor: the whole batch, or a part of it. */
export type EmbeddingCall = RetrievalCall<EmbeddingRequest>

/** What a provider has if it makes embeddings. */
export interface Embedder {
  /** True if the vendor accepts lists of tokens. Others get their text, if the gateway has the model's tokenizer. */
  readonly takesTokens?: boolean | undefined
  /** The formats that the vendor can send, the usual one first. Core asks for the caller's if it can. Default: `float` only. */
  readonly formats?: readonly VectorFormat[] | undefined
  /** The vendor's limits. Core splits a larger batch. Default: none. */
  limits?(endpoint: Endpoint): EmbeddingLimits
  /** Called once per request to the vendor. Throws `ProviderFailure`. */
  embed(call: EmbeddingCall): Promise<EmbeddingReply>
}

/** The embeddings of one request. */
export interface Embedded {
  /** `provider/model`. */
  readonly model: string
  /** The slug in `provider/model`. */
  readonly provider: string
  /** One for each input, in their order. */
  readonly vectors: readonly Vector[]
  /** Of all inputs, as billed. */
  readonly inputTokens: number
  /** In US dollars; null if unknown. */
  readonly costUsd: number | null
  /** How many were made. 0 if a call wrapper answered. */
  readonly attempts: number
  /**
   * Call at once, if the vectors are not written at once: they count in the memory of answers until `done`. `abandon` is called if that
   * memory is needed.
   */
  keepUntil(done: Promise<unknown>, abandon: () => void): void
}
