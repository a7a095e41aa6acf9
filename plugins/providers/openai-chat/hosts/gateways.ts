import type { Hosts } from '../host.ts'

/** Gateways: one address for many vendors. */
export const gateways = {
  openrouter: {
    source: 'https://openrouter.ai/docs/api-reference/chat-completion',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyVariable: 'OPENROUTER_API_KEY',
    extensions: ['cache_control', 'prompt_cache_key', 'verbosity'],
    developerRole: true,
    reasoning: 'reasoning_details',
    effort: 'reasoning',
    files: 'file_or_url',
    // The host searches for every model: https://openrouter.ai/docs/guides/features/server-tools/web-search
    search: { models: /./, form: 'server_tool' },
    embeddings: {},
    reranking: {},
  },
  vercel: {
    source: 'https://vercel.com/docs/ai-gateway/openai-compat',
    baseUrl: 'https://ai-gateway.vercel.sh/v1',
    keyVariable: 'AI_GATEWAY_API_KEY',
    extensions: ['cache_control'],
    reasoning: 'reasoning_details',
    effort: 'reasoning',
    files: 'file',
    embeddings: {},
  },
  huggingface: {
    source: 'https://huggingface.co/docs/inference-providers',
    baseUrl: 'https://router.huggingface.co/v1',
    keyVariable: 'HF_TOKEN',
    thinkTags: true,
  },
  github: {
    source: 'https://docs.github.com/en/rest/models/inference',
    baseUrl: 'https://models.github.ai/inference',
    keyVariable: 'GITHUB_TOKEN',
    explicit: true,
    embeddings: {},
  },
  poe: {
    source: 'https://creator.poe.com/docs/external-applications/openai-compatible-api',
    baseUrl: 'https://api.poe.com/v1',
    keyVariable: 'POE_API_KEY',
    without: ['strict'],
    thinkTags: true,
  },
  requesty: {
    source: 'https://requesty.ai/solution/llm-routing/models',
    baseUrl: 'https://router.requesty.ai/v1',
    keyVariable: 'REQUESTY_API_KEY',
    embeddings: {},
  },
  aimlapi: {
    source: 'https://docs.aimlapi.com',
    baseUrl: 'https://api.aimlapi.com/v1',
    keyVariable: 'AIMLAPI_API_KEY',
    thinkTags: true,
    embeddings: {},
  },
  nanogpt: {
    source: 'https://docs.nano-gpt.com',
    baseUrl: 'https://nano-gpt.com/api/v1',
    keyVariable: 'NANO_GPT_API_KEY',
    thinkTags: true,
    embeddings: {},
  },
  opencode: {
    source: 'https://opencode.ai/docs/zen',
    baseUrl: 'https://opencode.ai/zen/v1',
    keyVariable: 'OPENCODE_API_KEY',
    thinkTags: true,
  },
  zenmux: {
    source: 'https://docs.zenmux.ai',
    baseUrl: 'https://zenmux.ai/api/v1',
    keyVariable: 'ZENMUX_API_KEY',
    thinkTags: true,
  },
} as const satisfies Hosts
