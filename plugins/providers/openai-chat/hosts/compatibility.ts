import type { Hosts } from '../host.ts'

/** Makers and clouds that have their own dialect and also speak this protocol. Their own dialect supports more. */
export const compatibility = {
  'gemini-compat': {
    source: 'https://ai.google.dev/gemini-api/docs/openai',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyVariable: 'GEMINI_API_KEY',
    explicit: true,
    without: ['parallel_tool_calls', 'strict'],
    embeddings: { maxInputs: 100 },
  },
  'anthropic-compat': {
    source: 'https://docs.claude.com/en/api/openai-sdk',
    baseUrl: 'https://api.anthropic.com/v1',
    keyVariable: 'ANTHROPIC_API_KEY',
    explicit: true,
    without: ['frequency_penalty', 'logprobs', 'presence_penalty', 'reasoning_effort', 'response_format', 'strict'],
  },
  'cohere-compat': {
    source: 'https://docs.cohere.com/docs/compatibility-api',
    baseUrl: 'https://api.cohere.ai/compatibility/v1',
    keyVariable: 'COHERE_API_KEY',
    explicit: true,
    without: ['logprobs', 'parallel_tool_calls'],
    toolChoice: 'modes',
    embeddings: { maxInputs: 96 },
  },
  'bedrock-compat': {
    source: 'https://docs.aws.amazon.com/bedrock/latest/userguide/inference-chat-completions.html',
    baseUrl: 'https://bedrock-runtime.{account}.amazonaws.com/openai/v1',
    account: { what: 'the AWS region in its address', variable: 'AWS_REGION' },
    keyVariable: 'AWS_BEARER_TOKEN_BEDROCK',
    explicit: true,
    thinkTags: true,
  },
} as const satisfies Hosts
