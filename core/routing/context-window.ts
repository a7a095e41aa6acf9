import { wire } from '../framework/container.ts'
import type { Endpoint, Tokenizer } from '../contracts/catalog.ts'
import type { Maybe } from '../runtime/pending.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { InputCount } from '../contracts/route.ts'
import { TokenCounter, type TokenCount } from '../contracts/token-counter.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { mayExceed } from '../tokens/bound.ts'
import { estimateInput } from '../tokens/estimate.ts'
import { framingOf } from '../tokens/framing.ts'
import { estimateOtherInput } from '../tokens/other-input.ts'
import { isAllText, schemasOf, textsOf } from '../tokens/input-texts.ts'
import { standIn, standInMargin } from '../tokens/safe-count.ts'

/** Counts input, and skips models whose context window it certainly exceeds. In doubt, the provider decides. */
export class ContextWindow {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /**
   * The endpoints that may accept this input. A promise only if the input has to be counted. Throws 400 `context_length_exceeded` if there
   * are none.
   */
  fit(endpoints: readonly Endpoint[], request: GenerationRequest): Maybe<readonly Endpoint[]> {
    let smallest = Infinity
    for (const endpoint of endpoints) smallest = Math.min(smallest, limitOf(endpoint))
    if (smallest === Infinity) return endpoints
    const texts = textsOf(request)
    return mayExceed(texts, smallest) ? this.#counted(endpoints, texts) : endpoints
  }

  async #counted(endpoints: readonly Endpoint[], texts: readonly string[]): Promise<readonly Endpoint[]> {
    const counts = await this.#countForAll(endpoints, texts)
    const fitting = endpoints.filter(endpoint => tokensFor(endpoint, counts) <= limitOf(endpoint))
    if (fitting.length === 0) throw tooLong(endpoints, counts)
    return fitting
  }

  /** Counts once for each tokenizer, up to the largest limit that the input may exceed. */
  async #countForAll(endpoints: readonly Endpoint[], texts: readonly string[]): Promise<Counts> {
    const limits = new Map<Tokenizer, number>()
    for (const endpoint of endpoints) {
      const limit = limitOf(endpoint)
      if (limit === Infinity || !mayExceed(texts, limit)) continue
      const tokenizer = tokenizerOf(endpoint)
      limits.set(tokenizer, Math.max(limit, limits.get(tokenizer) ?? 0))
    }
    const counted = Array.from(
      limits,
      async ([tokenizer, limit]) => [tokenizer, await this.#counter.count(texts, { tokenizer, limit })] as const,
    )
    return new Map(await Promise.all(counted))
  }

  /** The same for several endpoints, by their tokenizer, which is undefined where the gateway does not have it. */
  async countByTokenizer(endpoints: readonly Endpoint[], request: GenerationRequest): Promise<ReadonlyMap<Tokenizer | undefined, number>> {
    const one = new Map(endpoints.map(endpoint => [endpoint.tokenizer, endpoint]))
    const other = estimateOtherInput(request)
    const counts = Array.from(
      one,
      async ([tokenizer, endpoint]) => [tokenizer, (await this.count(endpoint, request)).tokens + other] as const,
    )
    return new Map(await Promise.all(counts))
  }

  /**
   * The input tokens that the vendor would bill. An estimate if the gateway does not have the model's tokenizer, or if counting takes too
   * long.
   */
  async count(endpoint: Endpoint, request: GenerationRequest): Promise<InputCount> {
    const texts = [...textsOf(request), ...schemasOf(request)]
    const counted = await this.#counter.count(texts, { tokenizer: tokenizerOf(endpoint) })
    if (!counted) return { tokens: estimateInput(request), estimated: true }
    return { tokens: counted.tokens + framingOf(request), estimated: endpoint.tokenizer === undefined || !isAllText(request) }
  }
}

/** The counted length of the input, by tokenizer. */
type Counts = ReadonlyMap<Tokenizer, TokenCount | undefined>

function tokenizerOf({ tokenizer = standIn }: Endpoint): Tokenizer {
  return tokenizer
}

/** Input with more tokens than this certainly does not fit. */
function limitOf({ contextWindow = Infinity, tokenizer }: Endpoint): number {
  return tokenizer ? contextWindow : contextWindow * standInMargin
}

/** The tokens counted so far; 0 if nothing was counted. */
function tokensFor(endpoint: Endpoint, counts: Counts): number {
  return counts.get(tokenizerOf(endpoint))?.tokens ?? 0
}

function tooLong(endpoints: readonly Endpoint[], counts: Counts): GatewayError {
  const endpoint = endpoints.reduce((a, b) => ((b.contextWindow ?? 0) > (a.contextWindow ?? 0) ? b : a))
  // Counting stopped after the largest limit.
  const { tokens } = counts.get(tokenizerOf(endpoint))!
  const counted = endpoint.tokenizer ? `${tokens} tokens` : `${tokens} tokens (as ${standIn} counts them)`
  return invalidRequest(
    wording`At least ${own(counted)} are in the input, and the context window of "${endpoint.listed ? own(endpoint.model) : endpoint.model}" at "${own(endpoint.provider)}" is ${own(endpoint.contextWindow!)}. Shorten the input, start a new conversation, or use a model with a larger window.`,
    'input',
    'context_length_exceeded',
  )
}
