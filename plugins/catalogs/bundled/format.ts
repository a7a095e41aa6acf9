import type { Capabilities, Price } from '../../../core/index.ts'
import { efforts, tokenizers, type Tokenizer } from '../../../core/kit.ts'

// A compact catalog: values that many models share are in lists once, and models refer to them by position.

export interface PackedCatalog {
  readonly format: 1
  /** The day it was created. */
  readonly date: string
  /** The sources of the facts, and their licenses. */
  readonly notices: readonly string[]
  readonly providers: readonly string[]
  readonly capabilities: readonly Capabilities[]
  readonly prices: readonly Price[]
  /** In the order in which `auto` tries them. */
  readonly models: readonly PackedModel[]
}

export interface PackedModel {
  readonly id: string
  readonly aliases?: readonly string[]
  readonly family?: string
  readonly ownedBy?: string
  readonly created?: number
  /** If absent, `auto` never chooses the model. */
  readonly auto?: boolean
  readonly tokenizer?: Tokenizer
  readonly at: readonly PackedEndpoint[]
}

/** Positions in the lists count from 1; 0 means unknown. Without an upstream name, the vendor uses the model's own name. */
export type PackedEndpoint = readonly [
  provider: number,
  capabilities: number,
  price: number,
  contextWindow: number,
  maxOutputTokens: number,
  upstreamModel?: string,
]

const text = { type: 'string', minLength: 1, maxLength: 200 } as const
const usd = { type: 'number', minimum: 0, maximum: 1e6 } as const
const count = { type: 'integer', minimum: 0, maximum: 1e9 } as const
const boolean = { type: 'boolean' } as const

const rates = { input: usd, output: usd, cacheRead: usd, cacheWrite5m: usd, cacheWrite1h: usd, reasoning: usd } as const

const price = {
  type: 'object',
  additionalProperties: false,
  required: ['input', 'output'],
  properties: {
    ...rates,
    webSearch: usd,
    request: usd,
    tiers: {
      type: 'array',
      maxItems: 10,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['above', 'input', 'output'],
        properties: { above: count, ...rates },
      },
    },
  },
} as const

const capabilities = {
  type: 'object',
  additionalProperties: false,
  properties: {
    tools: boolean,
    parallelTools: boolean,
    structuredOutput: { enum: ['json_schema', 'json_object', 'none'] },
    efforts: { type: 'array', maxItems: 10, items: { enum: efforts } },
    verbosity: boolean,
    temperature: boolean,
    images: boolean,
    files: boolean,
    logprobs: boolean,
    webSearch: boolean,
    searchAlone: boolean,
  },
} as const

const model = {
  type: 'object',
  additionalProperties: false,
  required: ['id', 'at'],
  properties: {
    id: text,
    aliases: { type: 'array', maxItems: 100, items: text },
    family: text,
    ownedBy: text,
    created: { type: 'integer', minimum: 0 },
    auto: { type: 'boolean' },
    tokenizer: { enum: tokenizers },
    at: {
      type: 'array',
      maxItems: 300,
      items: { type: 'array', minItems: 5, maxItems: 6, items: [count, count, count, count, count, text] },
    },
  },
} as const

/** Checks a catalog that was not bundled. */
export const packedCatalogSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['format', 'date', 'notices', 'providers', 'capabilities', 'prices', 'models'],
  properties: {
    format: { const: 1 },
    date: { type: 'string', pattern: '^20\\d\\d-[01]\\d-[0-3]\\d$' },
    notices: { type: 'array', maxItems: 50, items: { type: 'string', maxLength: 2000 } },
    providers: { type: 'array', maxItems: 1000, items: text },
    capabilities: { type: 'array', maxItems: 10_000, items: capabilities },
    prices: { type: 'array', maxItems: 50_000, items: price },
    models: { type: 'array', minItems: 1, maxItems: 50_000, items: model },
  },
} as const
