/** A model of `GET /admin/v1/models`. */
export interface Model {
  readonly id: string
  readonly aliases: readonly string[]
  readonly auto: boolean
  readonly family: string | null
  readonly owned_by: string
  readonly endpoints: readonly Endpoint[]
}

export interface Endpoint {
  readonly provider: string
  readonly kind: 'generation' | 'decision' | 'embedding' | 'rerank'
  readonly upstream_model: string
  readonly context_window: number | null
  readonly max_output_tokens: number | null
  readonly price: Price | null
  readonly capabilities: Readonly<Record<string, unknown>>
  readonly zdr: { readonly policy_url: string } | false
  readonly hipaa: { readonly baa_url: string } | false
}

export interface Price {
  /** US dollars per million tokens. */
  readonly input: number
  readonly output: number
  readonly cache_read?: number
  /** US dollars. */
  readonly request?: number
  readonly web_search?: number
  readonly tiers?: readonly { readonly above: number; readonly input: number; readonly output: number }[]
}

/** An endpoint of `GET /admin/v1/metrics/endpoints`. */
export interface EndpointMetrics {
  readonly provider: string
  readonly model: string
  readonly requests: number
  /** From 0 to 1. */
  readonly uptime: number | null
  /** Output tokens per second. */
  readonly throughput: number | null
  readonly latency_ms: Percentiles
  readonly e2e_latency_ms: Percentiles
}

export interface Percentiles {
  readonly p50: number | null
  readonly p90: number | null
  readonly p95: number | null
  readonly p99: number | null
}

/** The reply of `GET /admin/v1/routes`. */
export interface RoutePreview {
  readonly sort: string | null
  readonly unit: string | null
  readonly preferred: string | null
  readonly candidates: readonly {
    readonly provider: string
    readonly model: string
    readonly value: number | null
    readonly requests: number
    readonly uptime: number | null
    readonly passed_over: string | null
    readonly circuit_open: boolean
  }[]
}

const capabilityNames: Readonly<Record<string, string>> = {
  tools: 'Tools',
  parallel_tools: 'Parallel tools',
  custom_tools: 'Custom tools',
  built_in_tools: 'Built-in tools',
  images: 'Images',
  files: 'Files',
  web_search: 'Web search',
  logprobs: 'Log probabilities',
  context_management: 'Context management',
  verbosity: 'Verbosity',
}

const kinds = { decision: 'Decisions', embedding: 'Embeddings', rerank: 'Reranking' } as const

/** The known capabilities of an endpoint. */
export function capabilitiesOf({ capabilities, kind }: Endpoint): readonly string[] {
  if (kind !== 'generation') return [kinds[kind]]
  const { structured_output: format, efforts } = capabilities
  return [
    ...Object.entries(capabilityNames).flatMap(([name, text]) => (capabilities[name] === true ? [text] : [])),
    ...(format === 'json_schema' ? ['JSON schemas'] : format === 'json_object' ? ['JSON mode'] : []),
    ...(Array.isArray(efforts) && efforts.some(effort => effort !== 'none') ? ['Reasoning'] : []),
  ]
}

/** The price of input and output, such as "$0.25 / $2". */
export function priceText(price: Price | null, usd: (value: number) => string): string {
  return price ? `${usd(price.input)} / ${usd(price.output)}` : 'unknown'
}

/** The endpoint with the lowest price, a million tokens of input and of output together. */
export function cheapest(endpoints: readonly Endpoint[]): Price | null {
  const prices = endpoints.flatMap(({ price }) => (price ? [price] : []))
  return prices.toSorted((a, b) => a.input + a.output - b.input - b.output)[0] ?? null
}
