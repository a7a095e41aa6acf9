// Hosts that speak OpenAI's Chat Completions protocol, and how each departs from it. Sources: the hosts' own API references.

/** Request members that a host refuses or that mean something else there. `json_schema`: only JSON mode. */
export type Unsupported =
  | 'frequency_penalty'
  | 'json_schema'
  | 'logprobs'
  | 'parallel_tool_calls'
  | 'presence_penalty'
  | 'reasoning_effort'
  | 'stream_options'
  | 'strict'

/** Members beyond what every host knows. */
export type Extension =
  | 'cache_control'
  | 'prompt_cache_breakpoint'
  | 'prompt_cache_key'
  | 'prompt_cache_options'
  | 'prompt_cache_retention'
  | 'service_tier'
  | 'store'
  | 'verbosity'

export interface Host {
  /** Undefined: the `baseUrl` option says where it is. */
  readonly baseUrl: string | undefined
  /** The environment variable in which the vendor's own documentation keeps the key; undefined where none is needed. */
  readonly keyVariable?: string
  readonly without?: readonly Unsupported[]
  readonly extensions?: readonly Extension[]
  readonly maxTokens?: 'max_completion_tokens'
  /** Knows the role `developer`; elsewhere it is `system`. */
  readonly developerRole?: true
  /** Knows tools of type `custom`; elsewhere they are functions with one string. */
  readonly customTools?: true
  /** Forms of `tool_choice`: all, the modes and one function (when absent), only the modes, only `auto`. */
  readonly toolChoice?: 'all' | 'modes' | 'auto'
  /** The member of an assistant message in which the model's reasoning goes back; without one it does not. */
  readonly reasoning?: 'reasoning' | 'reasoning_content' | 'reasoning_details' | 'thinking'
  /** How the effort is said, where not as `reasoning_effort`. */
  readonly effort?: 'reasoning' | 'thinking'
  /** How files are said; without it they are not. */
  readonly files?: 'file' | 'file_or_url' | 'document_url' | 'file_url'
  /** Replies may open with a `<think>` block inside the text. */
  readonly thinkTags?: true
  /** A `finish_reason` may come while calls go on: only `[DONE]` is the end. */
  readonly endsWithDone?: true
  /** Call ids of another form are replaced. */
  readonly callIds?: RegExp
  /** An assistant message at the end is marked as one to be continued. */
  readonly prefix?: true
  /** Takes no two messages of one role in a row. */
  readonly alternating?: true
}

export const hosts = {
  openai: {
    baseUrl: 'https://api.openai.com/v1',
    keyVariable: 'OPENAI_API_KEY',
    extensions: [
      'prompt_cache_breakpoint',
      'prompt_cache_key',
      'prompt_cache_options',
      'prompt_cache_retention',
      'service_tier',
      'store',
      'verbosity',
    ],
    maxTokens: 'max_completion_tokens',
    developerRole: true,
    customTools: true,
    toolChoice: 'all',
    files: 'file',
    callIds: /^.{1,40}$/,
  },
  groq: {
    baseUrl: 'https://api.groq.com/openai/v1',
    keyVariable: 'GROQ_API_KEY',
    without: ['logprobs'],
    maxTokens: 'max_completion_tokens',
    reasoning: 'reasoning',
    thinkTags: true,
  },
  deepseek: {
    baseUrl: 'https://api.deepseek.com',
    keyVariable: 'DEEPSEEK_API_KEY',
    without: ['json_schema', 'strict'],
    reasoning: 'reasoning_content',
    effort: 'thinking',
  },
  xai: {
    baseUrl: 'https://api.x.ai/v1',
    keyVariable: 'XAI_API_KEY',
    maxTokens: 'max_completion_tokens',
    reasoning: 'reasoning_content',
  },
  mistral: {
    baseUrl: 'https://api.mistral.ai/v1',
    keyVariable: 'MISTRAL_API_KEY',
    without: ['logprobs', 'stream_options'],
    extensions: ['prompt_cache_key'],
    reasoning: 'thinking',
    files: 'document_url',
    callIds: /^[a-zA-Z0-9]{9}$/,
    prefix: true,
  },
  together: {
    baseUrl: 'https://api.together.xyz/v1',
    keyVariable: 'TOGETHER_API_KEY',
    // Here `logprobs` is a number, and the answer has another shape.
    without: ['logprobs', 'parallel_tool_calls'],
    thinkTags: true,
    endsWithDone: true,
  },
  fireworks: {
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyVariable: 'FIREWORKS_API_KEY',
    reasoning: 'reasoning_content',
    thinkTags: true,
  },
  cerebras: {
    baseUrl: 'https://api.cerebras.ai/v1',
    keyVariable: 'CEREBRAS_API_KEY',
    without: ['frequency_penalty', 'presence_penalty'],
    maxTokens: 'max_completion_tokens',
    reasoning: 'reasoning',
  },
  openrouter: {
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    extensions: ['cache_control', 'prompt_cache_key', 'verbosity'],
    developerRole: true,
    reasoning: 'reasoning_details',
    effort: 'reasoning',
    files: 'file_or_url',
  },
  perplexity: {
    baseUrl: 'https://api.perplexity.ai',
    keyVariable: 'PERPLEXITY_API_KEY',
    without: ['logprobs', 'parallel_tool_calls', 'stream_options'],
    files: 'file_url',
    thinkTags: true,
    alternating: true,
  },
  ollama: {
    baseUrl: 'http://127.0.0.1:11434/v1',
    without: ['parallel_tool_calls'],
    toolChoice: 'modes',
    reasoning: 'reasoning',
    thinkTags: true,
  },
  vllm: { baseUrl: 'http://127.0.0.1:8000/v1', reasoning: 'reasoning', thinkTags: true },
  llamacpp: { baseUrl: 'http://127.0.0.1:8080/v1', toolChoice: 'modes', reasoning: 'reasoning_content', thinkTags: true },
  lmstudio: { baseUrl: 'http://127.0.0.1:1234/v1', toolChoice: 'modes', thinkTags: true },
  alibaba: {
    baseUrl: 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1',
    keyVariable: 'DASHSCOPE_API_KEY',
    reasoning: 'reasoning_content',
  },
  huggingface: { baseUrl: 'https://router.huggingface.co/v1', keyVariable: 'HF_TOKEN', thinkTags: true },
  moonshot: { baseUrl: 'https://api.moonshot.ai/v1', keyVariable: 'MOONSHOT_API_KEY', reasoning: 'reasoning_content' },
  nebius: { baseUrl: 'https://api.studio.nebius.ai/v1', keyVariable: 'NEBIUS_API_KEY', thinkTags: true },
  novita: { baseUrl: 'https://api.novita.ai/v3/openai', keyVariable: 'NOVITA_API_KEY', thinkTags: true },
  nvidia: { baseUrl: 'https://integrate.api.nvidia.com/v1', keyVariable: 'NVIDIA_API_KEY', thinkTags: true },
  sambanova: { baseUrl: 'https://api.sambanova.ai/v1', keyVariable: 'SAMBANOVA_API_KEY', thinkTags: true },
  venice: { baseUrl: 'https://api.venice.ai/api/v1', keyVariable: 'VENICE_API_KEY', reasoning: 'reasoning_content', thinkTags: true },
  vercel: {
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    keyVariable: 'AI_GATEWAY_API_KEY',
    extensions: ['cache_control'],
    reasoning: 'reasoning_details',
    effort: 'reasoning',
    files: 'file',
  },
  zai: {
    baseUrl: 'https://api.z.ai/api/paas/v4',
    keyVariable: 'ZAI_API_KEY',
    without: ['json_schema', 'logprobs', 'parallel_tool_calls', 'reasoning_effort', 'strict'],
    toolChoice: 'auto',
    reasoning: 'reasoning_content',
    effort: 'thinking',
  },
  /** Anything else that speaks the protocol: only what every host understands is sent. */
  compatible: { baseUrl: undefined, without: ['parallel_tool_calls', 'strict'], toolChoice: 'modes', thinkTags: true },
} as const satisfies Readonly<Record<string, Host>>

export type HostName = keyof typeof hosts
