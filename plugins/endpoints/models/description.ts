import type { JsonObject } from '../../../core/index.ts'
import {
  features,
  intervalPattern,
  retrievalKinds,
  type ParameterDescription,
  type ReplyDescription,
  type RouteDescription,
} from '../../../core/kit.ts'

// The OpenAPI descriptions of the two routes.

const text = { type: 'string' }
const number = { type: ['number', 'null'] }
const cursor = (description: string): ParameterDescription => ({ description, schema: text })
const evidence = (required: readonly string[], ...members: readonly string[]): JsonObject => ({
  anyOf: [
    { const: false },
    {
      type: 'object',
      required,
      properties: {
        ...Object.fromEntries([...required, ...members].map(member => [member, text])),
        excludes: { type: 'array', items: { enum: features } },
        covers: { type: 'array', items: { enum: retrievalKinds } },
      },
    },
  ],
})

const tokenPrices = ['input', 'output', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'reasoning']
const usdPerMillionTokens = Object.fromEntries(tokenPrices.map(kind => [kind, number]))

const price = {
  type: ['object', 'null'],
  description: 'US dollars per million tokens. Null means unknown, or the same as input or output.',
  required: [...tokenPrices, 'tiers', 'web_search', 'request'],
  properties: {
    ...usdPerMillionTokens,
    tiers: {
      type: 'array',
      description: 'Prices for the whole request if its input has more tokens than `above`.',
      items: {
        type: 'object',
        required: ['above', ...tokenPrices],
        properties: { above: { type: 'integer' }, ...usdPerMillionTokens },
      },
    },
    web_search: { ...number, description: 'US dollars per search. Null means unknown.' },
    request: { type: 'number', description: 'US dollars per request, in addition to its tokens.' },
    search: { type: 'number', description: 'US dollars per search unit of a reranking.' },
  },
}

const tokens = { type: ['integer', 'null'] }
const capabilities = { type: 'object', description: 'The capabilities of the model there. Missing members are unknown.' }

const summary = {
  type: 'object',
  description: 'The facts are those of the first provider of the model that the API key may use.',
  required: ['id', 'object', 'created', 'owned_by', 'context_length', 'max_output_tokens', 'pricing', 'capabilities'],
  properties: {
    id: text,
    object: { const: 'model' },
    created: { type: 'integer', description: 'Unix seconds. 0 means unknown.' },
    owned_by: text,
    context_length: tokens,
    max_output_tokens: tokens,
    pricing: {
      ...price,
      required: [...price.required, 'prompt', 'completion'],
      properties: {
        ...price.properties,
        prompt: { ...text, description: 'US dollars per token of input.' },
        completion: { ...text, description: 'US dollars per token of output.' },
      },
    },
    capabilities,
  },
}

const page = {
  first_id: { type: ['string', 'null'] },
  last_id: { type: ['string', 'null'] },
  has_more: { type: 'boolean', description: 'True if there are models beyond the page.' },
}

const anthropicMembers = {
  type: { const: 'model' },
  id: text,
  display_name: text,
  created_at: { ...text, description: 'In RFC 3339. The beginning of 1970 means unknown.' },
  capabilities: { type: 'null' },
  deprecated_at: { type: 'null' },
  lifecycle: { const: 'active' },
  line: { type: 'null' },
  max_input_tokens: tokens,
  max_tokens: tokens,
  retires_at: { type: 'null' },
}
const anthropicModel = { type: 'object', required: Object.keys(anthropicMembers), properties: anthropicMembers }

const percentiles = { type: 'object', required: ['p50', 'p90', 'p99'], properties: { p50: number, p90: number, p99: number } }

const metrics = {
  type: 'object',
  description: 'How the model performed there in the interval. Null means that there is no data.',
  required: ['requests', 'uptime', 'throughput', 'latency_ms', 'e2e_latency_ms'],
  properties: {
    requests: { type: 'integer', description: 'Attempts at this provider.' },
    uptime: { ...number, description: "Share of the attempts that did not fail through the provider's fault, from 0 to 1." },
    throughput: { ...number, description: 'Output tokens per second after the first token.' },
    latency_ms: { ...percentiles, description: 'Milliseconds to the first content of a stream.' },
    e2e_latency_ms: { ...percentiles, description: 'Milliseconds to the end of the answer.' },
  },
}

const provider = {
  type: 'object',
  required: ['model', 'kind', 'context_window', 'max_output_tokens', 'price', 'capabilities', 'zdr', 'hipaa', 'metrics'],
  properties: {
    model: { ...text, description: 'The name of the model at the vendor.' },
    kind: {
      enum: ['generation', 'decision', ...retrievalKinds],
      description: 'The calls that it answers: text, decisions at POST /v1/systemone, POST /v1/embeddings, or POST /v1/rerank.',
    },
    context_window: tokens,
    max_output_tokens: tokens,
    dimensions: { type: 'integer', description: "The length of an embedding model's vectors." },
    price,
    capabilities,
    zdr: evidence(['policy_url'], 'certificate_url'),
    hipaa: evidence(['baa_url']),
    metrics,
  },
}

const schemas: Readonly<Record<string, JsonObject>> = {
  Model: summary,
  ModelList: {
    type: 'object',
    required: ['object', 'data', ...Object.keys(page)],
    properties: { object: { const: 'list' }, data: { type: 'array', items: { $ref: '#/components/schemas/Model' } }, ...page },
  },
  AnthropicModel: anthropicModel,
  AnthropicModelList: {
    type: 'object',
    required: ['data', ...Object.keys(page)],
    properties: { data: { type: 'array', items: { $ref: '#/components/schemas/AnthropicModel' } }, ...page },
  },
  GoogleModel: {
    type: 'object',
    required: ['name', 'baseModelId', 'version', 'displayName', 'supportedGenerationMethods'],
    properties: {
      name: text,
      baseModelId: text,
      version: text,
      displayName: text,
      inputTokenLimit: { type: 'integer' },
      outputTokenLimit: { type: 'integer' },
      supportedGenerationMethods: { type: 'array', items: text },
    },
  },
  GoogleModelList: {
    type: 'object',
    required: ['models'],
    properties: { models: { type: 'array', items: { $ref: '#/components/schemas/GoogleModel' } }, nextPageToken: text },
  },
  GoogleModelError: {
    type: 'object',
    required: ['error'],
    properties: { error: { type: 'object', required: ['code', 'message', 'status'] } },
  },
  ModelDetail: {
    type: 'object',
    required: [...summary.required, 'aliases', 'family', 'listed', 'providers'],
    properties: {
      ...summary.properties,
      aliases: { type: 'array', items: text },
      family: { type: ['string', 'null'] },
      listed: { type: 'boolean', description: 'False if no catalog lists the model; the provider that you named may still have it.' },
      providers: { type: 'object', additionalProperties: provider },
    },
  },
}

const googleError = { 'application/json': { $ref: '#/components/schemas/GoogleModelError' } }

export function describeGoogleModels(): RouteDescription {
  return {
    summary: "List the models that the API key may use, in the form of Google's API",
    query: {
      pageSize: { description: 'The most models to list. Default: 50.', schema: { type: 'integer', minimum: 1, maximum: 1_000 } },
      pageToken: cursor('The nextPageToken of the page before.'),
      key: cursor('The API key, if no header has it.'),
    },
    replies: {
      200: reply('The models.', 'GoogleModelList'),
      400: { description: 'A parameter cannot be read.', content: googleError },
      401: { description: 'The API key is missing or unknown.', content: googleError },
    },
    schemas,
  }
}

export function describeGoogleModel(): RouteDescription {
  return {
    summary: "Describe a model in the form of Google's API",
    query: { key: cursor('The API key, if no header has it.') },
    replies: {
      200: reply('The model.', 'GoogleModel'),
      400: { description: 'A parameter cannot be read.', content: googleError },
      401: { description: 'The API key is missing or unknown.', content: googleError },
      404: { description: 'The API key may not use a model of this name, or it does not exist.', content: googleError },
    },
    schemas,
  }
}

export function describeModels(): RouteDescription {
  return {
    summary: 'List the models that the API key may use',
    query: {
      limit: {
        description: 'The most models to list. Default: all; with the header anthropic-version, 20, and at most 1,000.',
        schema: { type: 'integer', minimum: 1, maximum: 999_999_999 },
      },
      after: cursor('The id of the model before the page.'),
      after_id: cursor('The same, with the header anthropic-version.'),
      before_id: cursor('The id of the model after the page, with the header anthropic-version.'),
    },
    replies: {
      200: reply(
        "The models. With the header anthropic-version, or with x-goog-api-key or ?key=, in the form of Anthropic's or Google's API.",
        'ModelList',
        'AnthropicModelList',
        'GoogleModelList',
      ),
      400: reply('A parameter cannot be read.', 'Error'),
      401: unauthorized,
    },
    schemas,
  }
}

export function describeModel(): RouteDescription {
  return {
    summary: 'Describe a model',
    query: {
      interval: {
        description: 'The period of the metrics, up to now. Default: 15 minutes.',
        schema: { type: 'string', pattern: intervalPattern },
      },
    },
    replies: {
      200: reply('The model, and each provider at which the API key may use it.', 'ModelDetail', 'AnthropicModel', 'GoogleModel'),
      400: reply('The interval cannot be read.', 'Error'),
      401: unauthorized,
      404: reply('The API key may not use a model of this name, or it does not exist.', 'Error'),
    },
    schemas,
  }
}

const unauthorized = reply('The API key is missing or unknown.', 'Error')

function reply(description: string, ...names: readonly string[]): ReplyDescription {
  const [first, ...others] = names.map(name => ({ $ref: `#/components/schemas/${name}` }))
  return { description, content: { 'application/json': others.length > 0 ? { anyOf: [first, ...others] } : first! } }
}
