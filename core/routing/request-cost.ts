import { costOf } from '../billing/cost.ts'
import { requestsTo } from '../billing/token-need.ts'
import type { Endpoint, Tokenizer } from '../contracts/catalog.ts'
import { noUsage } from '../contracts/events.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { estimateInput } from '../tokens/estimate.ts'
import { estimateOtherInput } from '../tokens/other-input.ts'

/** Assumed for models without answers in the interval. */
const assumedOutputTokens = 300
/** Vendors decide how often they search. Most requests that offer it need one search. */
const assumedSearches = 1

/** Input tokens by the tokenizer of the endpoint. */
export type InputTokens = ReadonlyMap<Tokenizer | undefined, number>

/** Estimates what one request costs at an endpoint. */
export class RequestCost {
  readonly #request: GenerationRequest
  readonly #counted: InputTokens | undefined
  readonly #searches: number
  #estimatedInput: number | undefined

  /** Without `counted`, the input is estimated. */
  constructor(request: GenerationRequest, counted: InputTokens | undefined) {
    this.#request = request
    this.#counted = counted
    this.#searches = request.tools?.some(({ type }) => type === 'web_search') ? assumedSearches : 0
  }

  /** In US dollars; undefined if a price that it needs is unknown. `meanOutputTokens`: of the model's answers at all of its endpoints. */
  at(endpoint: Endpoint, meanOutputTokens: number | undefined): number | undefined {
    const { price, capabilities, tokenizer } = endpoint
    if (!price) return undefined
    const { max_output_tokens: limit = Infinity, choices } = this.#request
    const requests = requestsTo(endpoint, choices)
    const searches = capabilities.webSearch === false ? 0 : this.#searches
    const usage = {
      ...noUsage,
      uncachedInput: this.#counted?.get(tokenizer) ?? this.#input,
      output: (Math.min(limit, meanOutputTokens ?? assumedOutputTokens) * (choices ?? 1)) / requests,
      ...(searches > 0 && { toolCalls: { web_search: searches } }),
    }
    const costUsd = costOf(usage, price)
    return costUsd === null ? undefined : costUsd * requests
  }

  get #input(): number {
    return (this.#estimatedInput ??= estimateInput(this.#request) + estimateOtherInput(this.#request))
  }
}
