import { wire } from '../framework/container.ts'
import type { Endpoint, Tokenizer } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { InputCount } from '../contracts/route.ts'
import { TokenCounter, type TokenCount } from '../contracts/token-counter.ts'
import { invalidRequest, type GatewayError } from '../foundation/errors.ts'
import type { Candidate } from './plan.ts'
import { mayExceed } from '../tokens/bound.ts'
import { estimateInput } from '../tokens/estimate.ts'
import { framingOf } from '../tokens/framing.ts'
import { isAllText, schemasOf, textsOf } from '../tokens/input-texts.ts'

/** Used for models whose tokenizer the gateway does not have. */
const standIn: Tokenizer = 'o200k_base'
/** A model's own tokenizer hardly ever gives fewer tokens than the stand-in's count divided by this. */
const standInMargin = 1.5

/** Counts input, and skips models whose context window it certainly exceeds. In doubt, the provider decides. */
export class ContextWindow {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /** The candidates that may accept this input. Throws 400 `context_length_exceeded` if there are none. */
  async fit(candidates: readonly Candidate[], request: GenerationRequest): Promise<readonly Candidate[]> {
    const smallest = Math.min(...candidates.map(({ endpoint }) => limitOf(endpoint)))
    if (smallest === Infinity) return candidates
    const texts = textsOf(request)
    if (!mayExceed(texts, smallest)) return candidates
    const counts = await this.#countForAll(candidates, texts)
    const fitting = candidates.filter(({ endpoint }) => tokensFor(endpoint, counts) <= limitOf(endpoint))
    if (fitting.length === 0) throw tooLong(candidates, counts)
    return fitting
  }

  /** Counts once for each tokenizer, up to the largest limit that the input may exceed. */
  async #countForAll(candidates: readonly Candidate[], texts: readonly string[]): Promise<Counts> {
    const limits = new Map<Tokenizer, number>()
    for (const { endpoint } of candidates) {
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

/** The length of the input as far as it was counted, by tokenizer. */
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

function tooLong(candidates: readonly Candidate[], counts: Counts): GatewayError {
  const { endpoint } = candidates.reduce((a, b) => ((b.endpoint.contextWindow ?? 0) > (a.endpoint.contextWindow ?? 0) ? b : a))
  // Counting stopped after the largest limit.
  const { tokens } = counts.get(tokenizerOf(endpoint))!
  const counted = endpoint.tokenizer ? `${tokens} tokens` : `${tokens} tokens (as ${standIn} counts them)`
  return invalidRequest(
    `The input has at least ${counted}, and the context window of "${endpoint.model}" at "${endpoint.provider}" is ${endpoint.contextWindow}. ` +
      'Shorten the input, start a new conversation, or use a model with a larger window.',
    'input',
    'context_length_exceeded',
  )
}
