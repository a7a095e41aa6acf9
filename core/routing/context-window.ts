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

/** Stands in for vocabularies that the gateway does not have. */
const standIn: Tokenizer = 'o200k_base'
/** Another vocabulary may make fewer tokens of a text than the one that stands in for it, but hardly so many fewer. */
const standInMargin = 1.5

/** Keeps input away from models whose window it certainly exceeds, and counts it. What is not certain, the provider decides. */
export class ContextWindow {
  readonly #counter: TokenCounter

  static {
    wire(this, [TokenCounter])
  }

  constructor(counter: TokenCounter) {
    this.#counter = counter
  }

  /** The candidates that may still take this input; 400 `context_length_exceeded` when there is none. */
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

  /** Once for each vocabulary, up to the largest limit that is in doubt. */
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

  /** As the model's vendor would bill it, where the gateway has its vocabulary; else, and when counting takes too long, a guess. */
  async count(endpoint: Endpoint, request: GenerationRequest): Promise<InputCount> {
    const texts = [...textsOf(request), ...schemasOf(request)]
    const counted = await this.#counter.count(texts, { tokenizer: tokenizerOf(endpoint) })
    if (!counted) return { tokens: estimateInput(request), estimated: true }
    return { tokens: counted.tokens + framingOf(request), estimated: endpoint.tokenizer === undefined || !isAllText(request) }
  }
}

/** What is known of the input's length, by vocabulary. */
type Counts = ReadonlyMap<Tokenizer, TokenCount | undefined>

function tokenizerOf({ tokenizer = standIn }: Endpoint): Tokenizer {
  return tokenizer
}

/** With more tokens than this the input certainly does not fit. */
function limitOf({ contextWindow = Infinity, tokenizer }: Endpoint): number {
  return tokenizer ? contextWindow : contextWindow * standInMargin
}

/** At least so many; 0 where nothing was counted. */
function tokensFor(endpoint: Endpoint, counts: Counts): number {
  return counts.get(tokenizerOf(endpoint))?.tokens ?? 0
}

function tooLong(candidates: readonly Candidate[], counts: Counts): GatewayError {
  const { endpoint } = candidates.reduce((a, b) => ((b.endpoint.contextWindow ?? 0) > (a.endpoint.contextWindow ?? 0) ? b : a))
  // What no candidate takes was counted until it passed the largest limit.
  const { tokens } = counts.get(tokenizerOf(endpoint))!
  const counted = endpoint.tokenizer ? `${tokens} tokens` : `${tokens} tokens (as ${standIn} counts them)`
  return invalidRequest(
    `The input has at least ${counted}, and the context window of "${endpoint.model}" at "${endpoint.provider}" is ${endpoint.contextWindow}. ` +
      'Shorten the input, start a new conversation, or use a model with a larger window.',
    'input',
    'context_length_exceeded',
  )
}
