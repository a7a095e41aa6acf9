/** The features that requests to a model may use. */
export interface ModelTraits {
  /** How `additionalModelRequestFields` expresses an effort. `none`: no known way. */
  readonly reasoning: 'anthropic' | 'nova' | 'openai' | 'reasoning_effort' | 'none'
  /** `outputConfig.textFormat` and strict tools. */
  readonly structuredOutput: boolean
  /** Support for `cachePoint` blocks, and how long they may last. */
  readonly cachePoints: 'none' | '5m' | '1h'
  /** True if `toolChoice` may be `any`, and name a tool. */
  readonly forcedTools: 'all' | 'any' | 'none'
  /** True if a tool result may say that the tool failed. */
  readonly resultStatus: boolean
  /** True if there is a separate system prompt. */
  readonly system: boolean
  /** True if the model can search the web with the tool `nova_grounding`. */
  readonly grounding: boolean
}

/** For unknown models: the plainest form, but tool choices are sent as requested. */
const others: ModelTraits = {
  reasoning: 'none',
  structuredOutput: false,
  cachePoints: 'none',
  forcedTools: 'all',
  resultStatus: false,
  system: true,
  grounding: false,
}
const structured: ModelTraits = { ...others, structuredOutput: true }
const effort: ModelTraits = { ...structured, reasoning: 'reasoning_effort' }
const claude: ModelTraits = { ...structured, reasoning: 'anthropic', cachePoints: '1h', resultStatus: true }
const nova: ModelTraits = { ...others, cachePoints: '5m', resultStatus: true }

/**
 * By model name, first match wins. Sources: Amazon Bedrock user guide, "Supported models and model features", "Prompt caching",
 * "Structured outputs", "Use a tool to complete a response" (ToolChoice, ToolResultBlock in the API reference), and Amazon Nova 2 user
 * guide, "Extended thinking", "Web grounding". The Anthropic plugin knows which Claude models have structured outputs.
 */
const rows: readonly (readonly [RegExp, ModelTraits])[] = [
  [/claude-(instant|v?2|3-(opus|sonnet|haiku)|3-5-sonnet-20240620)/, { ...claude, cachePoints: 'none' }],
  [/claude-(3|(opus|sonnet)-4-(1|2025))/, { ...claude, cachePoints: '5m' }],
  [/claude/, claude],
  [/nova-2/, { ...nova, reasoning: 'nova', grounding: true }],
  [/nova-premier/, { ...nova, grounding: true }],
  [/nova-(micro|lite|pro)/, nova],
  [/gpt-oss/, effort],
  [/openai\.|^gpt-\d/, { ...structured, reasoning: 'openai' }],
  [/kimi-k/, effort],
  [/mistral-7b|mixtral/, { ...others, forcedTools: 'none', system: false }],
  [/mistral-large-3|ministral|magistral|voxtral/, { ...structured, forcedTools: 'any' }],
  [/mistral/, { ...others, forcedTools: 'any' }],
  [/qwen3|deepseek[.-]v3|gemma-3|minimax|nemotron|glm-\d/, structured],
  [/titan/, { ...others, system: false }],
  [/llama|jamba|cohere|deepseek/, { ...others, forcedTools: 'none' }],
]

/** If an ARN does not identify the model, the canonical name does. */
export function traitsOf({ upstreamModel, model }: { readonly upstreamModel: string; readonly model: string }): ModelTraits {
  for (const name of [upstreamModel, model].map(each => each.toLowerCase())) {
    const row = rows.find(([pattern]) => pattern.test(name))
    if (row) return row[1]
  }
  return others
}
