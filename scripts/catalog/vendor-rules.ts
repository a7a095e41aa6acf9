import type { Capabilities, Price } from '../../core/index.ts'
import type { Tokenizer } from '../../core/kit.ts'
import type { Offer } from './merge.ts'

// Facts that vendors publish for whole families rather than for each model.

/** Source: openai/tiktoken, `model.py`. Unknown for later models. */
export function tokenizerOf(key: string): Tokenizer | undefined {
  if (/^(gpt-4o|gpt-4-1|gpt-4-5|gpt-5|chatgpt-4o|o[134](-|$)|gpt-oss|codex-mini)/.test(key)) return 'o200k_base'
  return /^gpt-(4|3-5-turbo)(-|$)/.test(key) ? 'cl100k_base' : undefined
}

export function completed(offer: Offer): Offer {
  return { ...offer, price: offer.price && withFees(pricedByRule(offer.price, offer), offer), capabilities: capableByRule(offer) }
}

/**
 * platform.claude.com, "Prompt caching": five-minute cache writes cost 1.25 times the input price and one-hour writes twice the price, at
 * every vendor.
 */
function pricedByRule(price: Price, { spelling }: Offer): Price {
  if (!spelling.key.startsWith('claude-') || price.cacheWrite1h !== undefined) return price
  const rule = <T extends { input: number; cacheWrite5m?: number | undefined }>(rates: T): T =>
    Math.abs((rates.cacheWrite5m ?? 0) - rates.input * 1.25) < 1e-9 ? { ...rates, cacheWrite1h: rates.input * 2 } : rates
  return rule({ ...price, ...(price.tiers && { tiers: price.tiers.map(rule) }) })
}

/** US dollars for a Perplexity request with the smallest search context, the default: docs.perplexity.ai, "Pricing". */
const perplexityFees: Readonly<Record<string, number>> = { sonar: 0.005, 'sonar-pro': 0.006, 'sonar-reasoning-pro': 0.006 }
/** docs.x.ai, "Tools pricing": 5 dollars per thousand searches. */
const xaiSearchFee = 0.005

function withFees(price: Price, { provider, spelling }: Offer): Price {
  if (provider === 'xai') return { ...price, webSearch: xaiSearchFee }
  if (provider !== 'perplexity') return price
  const { request: _, ...tokens } = price
  const fee = perplexityFees[spelling.key]
  return fee === undefined ? tokens : { ...tokens, request: fee }
}

function capableByRule({ provider, spelling: { key }, capabilities }: Offer): Capabilities {
  const sees = capabilities.images === true
  switch (provider) {
    case 'anthropic':
    case 'bedrock':
      // "PDF support": every active Claude model. Converse supports documents for them too.
      return { ...capabilities, ...(key.startsWith('claude-') && sees && { files: true }) }
    case 'gemini':
    case 'vertex':
      return { ...capabilities, ...(/^(gemini|claude)-/.test(key) && sees && { files: true }) }
    case 'openai':
    case 'azure': {
      // "File inputs": models with vision. "Verbosity": GPT-5 and later. "Log probabilities": not for reasoning models.
      const verbose = /^gpt-[5-9]/.test(key) && !key.includes('chat')
      const reasons = capabilities.efforts === undefined || capabilities.efforts.length > 0
      return {
        ...capabilities,
        ...(sees && { files: true }),
        ...(/^(gpt|o\d|codex)/.test(key) && { verbosity: verbose }),
        ...(/^gpt-(3|4)/.test(key) && !reasons ? { logprobs: true } : /^(o\d|gpt-[5-9])/.test(key) && reasons ? { logprobs: false } : {}),
      }
    }
    default:
      return capabilities
  }
}
