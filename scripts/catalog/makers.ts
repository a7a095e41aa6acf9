/** Makers by the prefixes that hosts use. */
const spelt: Readonly<Record<string, string>> = {
  ai21labs: 'ai21',
  'alibaba-nlp': 'alibaba',
  'arcee-ai': 'arcee',
  'bytedance-seed': 'bytedance',
  cohereforai: 'cohere',
  coherelabs: 'cohere',
  'deepseek-ai': 'deepseek',
  'ibm-granite': 'ibm',
  'meta-llama': 'meta',
  minimaxai: 'minimax',
  mistralai: 'mistral',
  moonshotai: 'moonshot',
  nousresearch: 'nous-research',
  qwen: 'alibaba',
  spacexai: 'xai',
  'stepfun-ai': 'stepfun',
  thudm: 'zai',
  volcengine: 'bytedance',
  'x-ai': 'xai',
  xiaomimimo: 'xiaomi',
  'z-ai': 'zai',
  'zai-org': 'zai',
}

/** Makers that sell their own models. Their spelling of a name takes precedence. */
export const ownProviders: Readonly<Record<string, string>> = {
  alibaba: 'alibaba',
  anthropic: 'anthropic',
  arcee: 'arcee',
  cohere: 'cohere',
  deepseek: 'deepseek',
  gemini: 'google',
  inception: 'inception',
  meta: 'meta',
  minimax: 'minimax',
  mistral: 'mistral',
  moonshot: 'moonshot',
  openai: 'openai',
  perplexity: 'perplexity',
  sakana: 'sakana',
  stepfun: 'stepfun',
  upstage: 'upstage',
  xai: 'xai',
  xiaomi: 'xiaomi',
  zai: 'zai',
}

const patterns: readonly (readonly [RegExp, string])[] = [
  [/^(gpt-|o[134](-|$)|codex-|chatgpt)/, 'openai'],
  [/^claude-/, 'anthropic'],
  [/^(gemini|gemma)-\d/, 'google'],
  [/^grok-/, 'xai'],
  [/^nova-/, 'amazon'],
]

/** The maker that most providers of the model name. The maker's own platform takes precedence. */
export function makerOf(key: string, providers: readonly string[], named: readonly (string | undefined)[]): string {
  const own = patterns.find(([pattern]) => pattern.test(key))?.[1]
  if (own !== undefined) return own
  const counts = new Map<string, number>()
  for (const maker of named) {
    if (maker === undefined || maker === 'fireworks' || maker === 'TEE') continue
    const name = spelt[maker.toLowerCase()] ?? maker.toLowerCase()
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1))
  if (most) return most[0]
  return providers.map(provider => ownProviders[provider]).find(maker => maker !== undefined) ?? 'unknown'
}
