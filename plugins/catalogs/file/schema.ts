import { agentToolTypes, efforts, hipaaAgreement, retrievalKinds, tokenizers, zdrAgreement, type Wire } from '../../../core/kit.ts'

// The schema of a catalog file and of the option `models`: a list of `CatalogEntry`.

const text = { type: 'string', minLength: 1 } as const
const boolean = { type: 'boolean' } as const
const tokens = { type: 'integer', minimum: 1 } as const
const usdPerMillionTokens = { type: 'number', minimum: 0 } as const

const tokenPrices = {
  input: usdPerMillionTokens,
  output: usdPerMillionTokens,
  cacheRead: usdPerMillionTokens,
  cacheWrite5m: usdPerMillionTokens,
  cacheWrite1h: usdPerMillionTokens,
  reasoning: usdPerMillionTokens,
} as const

const price = {
  type: 'object',
  additionalProperties: false,
  required: ['input', 'output'],
  properties: {
    ...tokenPrices,
    tiers: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['above', 'input', 'output'],
        properties: { above: { type: 'integer', minimum: 0 }, ...tokenPrices },
      },
      description: 'Prices for the whole request if its input has more tokens than `above`, in ascending order.',
    },
    webSearch: { type: 'number', minimum: 0, description: 'US dollars per search.' },
    request: { type: 'number', minimum: 0, description: 'US dollars per request, in addition to its tokens.' },
    search: { type: 'number', minimum: 0, description: 'US dollars per search unit of a reranking.' },
  },
  description: 'US dollars per million tokens.',
} as const

const capabilities = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tools: boolean,
    parallelTools: boolean,
    customTools: boolean,
    namespaceTools: boolean,
    allowedTools: boolean,
    builtInTools: boolean,
    agentTools: {
      type: 'array',
      items: { enum: agentToolTypes },
      description: 'The tools of coding agents that the vendor has. The model gets functions in place of the others.',
    },
    grammars: { ...boolean, description: 'The vendor makes the input of custom tools match their grammars.' },
    structuredOutput: { enum: ['json_schema', 'json_object', 'none'] },
    efforts: { type: 'array', items: { enum: efforts } },
    hiddenReasoning: {
      enum: [true, false, 'asked'],
      description:
        'The model bills hidden reasoning. `asked`: only if a request sets an effort. Under a spend cap, the gateway then holds the longest answer.',
    },
    streaming: { ...boolean, description: '`false`: replies come whole.' },
    verbosity: boolean,
    temperature: boolean,
    images: boolean,
    files: boolean,
    logprobs: boolean,
    jsonModeReadsInput: boolean,
    contextManagement: boolean,
    webSearch: boolean,
    searchAlone: { ...boolean, description: "The vendor's search cannot be combined with functions." },
    choices: { ...boolean, description: 'Gives several choices of an answer in one reply. If not true, the gateway asks once for each.' },
  },
  description: 'The capabilities of the model there. The gateway tries those that you leave out.',
} as const

const covers = {
  type: 'array',
  items: { enum: retrievalKinds },
  description: 'The kinds of calls besides generations that it covers. Requests of other kinds are not sent there.',
} as const

const zdr = {
  anyOf: [{ const: false }, { ...zdrAgreement, properties: { ...zdrAgreement.properties, covers } }],
  description: "The provider's zero-data-retention policy, or false.",
} as const

const hipaa = {
  anyOf: [{ const: false }, { ...hipaaAgreement, properties: { ...hipaaAgreement.properties, covers } }],
  description: "The provider's business associate agreement, or false.",
} as const

const endpoint = {
  type: 'object',
  additionalProperties: false,
  required: ['provider'],
  properties: {
    provider: text,
    remove: { type: 'boolean', description: 'True removes this provider from the model, whatever other catalogs say.' },
    upstreamModel: text,
    contextWindow: tokens,
    maxOutputTokens: tokens,
    kind: { enum: retrievalKinds, description: 'For models that make embeddings or rerank. Default: the model generates.' },
    dimensions: { ...tokens, description: "The length of an embedding model's vectors, if a request asks for none." },
    tokenizer: { enum: tokenizers, description: 'The tokenizer of the model.' },
    price,
    capabilities,
    zdr,
    hipaa,
  },
} as const

export const catalogSchema = {
  type: 'array',
  items: {
    type: 'object',
    additionalProperties: false,
    required: ['model'],
    properties: {
      model: text,
      remove: { type: 'boolean', description: 'True discards what other catalogs say about the model.' },
      family: text,
      aliases: { type: 'array', items: text },
      created: { type: 'integer', minimum: 0, description: 'Seconds since the epoch.' },
      ownedBy: text,
      auto: { type: 'boolean', description: 'False: `auto` never chooses it.' },
      endpoints: { type: 'array', items: endpoint, default: [] },
    },
  },
} as const

export type FileEntries = Wire<typeof catalogSchema>

/**
 * Rules that the schema cannot express. A model may be described once per provider, because a second description would silently replace the
 * first.
 */
export function checkEntries(entries: FileEntries, source: string): void {
  const seen = new Map<string, string>()
  for (const [index, { model, endpoints }] of entries.entries()) {
    for (const [position, { provider, price: { tiers = [] } = {} }] of endpoints.entries()) {
      if (tiers.some(({ above }, tier) => tier > 0 && above <= tiers[tier - 1]!.above))
        throw new Error(`${source}: /${index}/endpoints/${position}/price/tiers must be in ascending order of above`)
      const place = `/${index}/endpoints/${position}`
      const pair = JSON.stringify([model, provider])
      const earlier = seen.get(pair)
      if (earlier) throw new Error(`${source}: ${place} describes ${model} at ${provider}, which ${earlier} already does`)
      seen.set(pair, place)
    }
  }
}
