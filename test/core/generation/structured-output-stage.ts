import type { Capabilities, Clock, GenerationEvent, ProviderCall } from '../../../core/index.ts'
import type { Timeouts } from '../../../core/kit.ts'
import { gateway } from '../../kit/gateway.ts'
import { ask, listing, witness } from '../../kit/stage.ts'

// A gateway whose model cannot enforce a schema, and a request for one.

export const invoice = {
  type: 'json_schema',
  name: 'invoice',
  description: 'What has to be paid.',
  strict: true,
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['total', 'lines'],
    properties: { total: { type: 'number' }, lines: { type: 'array', items: { type: 'string', pattern: '^[a-z ]+$' } } },
  },
} as const
export const good = '{"total": 12.50, "lines": ["two pens"]}'

export function formatOf(schema: object): object {
  return { type: 'json_schema', name: 'demo', schema }
}

export type Structured = Capabilities['structuredOutput']

/** A gateway with one model at one provider, which answers as the test says. */
export async function answering(
  structuredOutput: Structured,
  answer: (call: ProviderCall, count: number) => Iterable<GenerationEvent>,
  more?: Capabilities,
  timeouts?: Partial<Timeouts>,
  clock?: Clock,
) {
  const acme = witness('acme', answer, { ...(more && { capabilities: more }), ...(timeouts && { timeouts }) })
  const capabilities: Capabilities = structuredOutput ? { structuredOutput } : {}
  const under = await gateway({
    plugins: [acme.plugin, listing({ model: 'm', endpoints: [{ provider: 'acme', capabilities }] })],
    ...(clock && { clock }),
  })
  return {
    under,
    calls: acme.calls,
    ask: (body: object, apiKey = under.apiKey) =>
      ask(under, { model: 'm', text: { format: invoice }, ...body }, { authorization: `Bearer ${apiKey}` }),
  }
}
