import type { Hosts } from '../host.ts'

/** Self-hosted servers, at their default port if they have one. */
export const ownServers = {
  ollama: {
    source: 'https://docs.ollama.com/api/openai-compatibility',
    baseUrl: 'http://127.0.0.1:11434/v1',
    without: ['parallel_tool_calls'],
    toolChoice: 'modes',
    reasoning: 'reasoning',
    thinkTags: true,
    embeddings: { floatOnly: true, maxInputs: 512 },
  },
  vllm: {
    source: 'https://docs.vllm.ai/en/latest/serving/openai_compatible_server.html',
    baseUrl: 'http://127.0.0.1:8000/v1',
    reasoning: 'reasoning',
    thinkTags: true,
    choices: true,
    embeddings: { tokens: true },
    reranking: {},
  },
  llamacpp: {
    source: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
    baseUrl: 'http://127.0.0.1:8080/v1',
    toolChoice: 'modes',
    reasoning: 'reasoning_content',
    thinkTags: true,
    embeddings: { tokens: true },
    reranking: {},
  },
  lmstudio: {
    source: 'https://lmstudio.ai/docs/app/api/endpoints/openai',
    baseUrl: 'http://127.0.0.1:1234/v1',
    toolChoice: 'modes',
    thinkTags: true,
    embeddings: { floatOnly: true, maxInputs: 512 },
  },
  sglang: {
    source: 'https://docs.sglang.ai/basic_usage/openai_api_completions.html',
    baseUrl: 'http://127.0.0.1:30000/v1',
    reasoning: 'reasoning_content',
    thinkTags: true,
    choices: true,
    embeddings: { tokens: true },
  },
  tgi: {
    source: 'https://huggingface.co/docs/text-generation-inference/messages_api',
    baseUrl: 'http://127.0.0.1:3000/v1',
    without: ['parallel_tool_calls', 'reasoning_effort', 'strict'],
    thinkTags: true,
    embeddings: { floatOnly: true, maxInputs: 32 },
  },
  localai: {
    source: 'https://localai.io/features/text-generation/',
    baseUrl: 'http://127.0.0.1:8080/v1',
    thinkTags: true,
    embeddings: {},
    reranking: {},
  },
  mistralrs: {
    source: 'https://github.com/EricLBuehler/mistral.rs/blob/master/docs/HTTP.md',
    baseUrl: undefined,
    reasoning: 'reasoning_content',
    thinkTags: true,
  },
  gpustack: {
    source: 'https://docs.gpustack.ai/latest/user-guide/openai-compatible-apis/',
    baseUrl: undefined,
    thinkTags: true,
    embeddings: {},
    reranking: {},
  },
  /** Any other host that speaks the protocol. Sends only what every host understands. */
  compatible: {
    source: 'https://platform.openai.com/docs/api-reference/chat/create',
    baseUrl: undefined,
    without: ['parallel_tool_calls', 'strict'],
    toolChoice: 'modes',
    thinkTags: true,
    embeddings: {},
    reranking: {},
  },
} as const satisfies Hosts
