import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { extraTextsOf } from '../tokens/extra-texts.ts'
import { framingOf } from '../tokens/framing.ts'
import { schemasOf, textsOf } from '../tokens/input-texts.ts'
import { estimateOtherInput } from '../tokens/other-input.ts'

/** With fewer output tokens, an answer is not worth its input. Some vendors accept no lower limit. */
const leastOutputTokens = 16
/** Vendors decide how often they search. Most stop well before this. */
const assumedSearches = 10

/** The tokens that a request may take. */
export interface TokenNeed {
  /** The texts that the model reads. */
  readonly texts: readonly string[]
  /** Input besides the texts: the vendor's framing, images, files, and state. */
  readonly otherInputTokens: number
  /** The answers that the request asks for. Absent: one. */
  readonly choices?: number | undefined
  /** The request's own limit, of one answer. Undefined: the endpoint's limit applies. */
  readonly outputTokens: number | undefined
  /** If fewer are affordable, the request is refused. */
  readonly leastOutputTokens: number
  /** Web searches that the vendor may make. */
  readonly searches: number
  /** Search units of a reranking. */
  readonly searchUnits?: number
}

export function needOf(request: GenerationRequest): TokenNeed {
  const { max_output_tokens: outputTokens, tools, choices } = request
  return {
    texts: [...textsOf(request), ...schemasOf(request), ...extraTextsOf(request)],
    otherInputTokens: framingOf(request) + estimateOtherInput(request),
    choices,
    outputTokens,
    leastOutputTokens: Math.min(leastOutputTokens, outputTokens ?? leastOutputTokens),
    searches: tools?.some(({ type }) => type === 'web_search') ? assumedSearches : 0,
  }
}

/** How many times an endpoint is asked, to get all choices. */
export function requestsTo({ capabilities }: Endpoint, choices: number | undefined): number {
  return choices === undefined || capabilities.choices === true ? 1 : choices
}

/** An upper bound: no text has more tokens than bytes. Input other than text is an estimate. */
export function inputBound({ texts, otherInputTokens }: TokenNeed): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), otherInputTokens)
}
