import type { GenerationRequest } from '../contracts/request.ts'
import { framingOf } from '../tokens/framing.ts'
import { schemasOf, textsOf } from '../tokens/input-texts.ts'
import { estimateOtherInput } from '../tokens/other-input.ts'

/** Below this many tokens of output an answer is not worth its input; some vendors take no lower limit. */
const leastOutputTokens = 16
/** Vendors choose how often they search; most stop well before. */
const assumedSearches = 10

/** What a request may take of a model. */
export interface TokenNeed {
  /** What the model reads. */
  readonly texts: readonly string[]
  /** Input besides the texts: what the vendor puts around them, images, files and state. */
  readonly otherInputTokens: number
  /** The request's own limit. Undefined: the endpoint's limit holds. */
  readonly outputTokens: number | undefined
  /** With less than this the request is refused. */
  readonly leastOutputTokens: number
  /** Searches on the web that the vendor may make. */
  readonly searches: number
}

export function needOf(request: GenerationRequest): TokenNeed {
  const { max_output_tokens: outputTokens, tools } = request
  return {
    texts: [...textsOf(request), ...schemasOf(request)],
    otherInputTokens: framingOf(request) + estimateOtherInput(request),
    outputTokens,
    leastOutputTokens: Math.min(leastOutputTokens, outputTokens ?? leastOutputTokens),
    searches: tools?.some(({ type }) => type === 'web_search') ? assumedSearches : 0,
  }
}

/** No text has more tokens than bytes; input other than text is a guess. */
export function inputBound({ texts, otherInputTokens }: TokenNeed): number {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), otherInputTokens)
}
