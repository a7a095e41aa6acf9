// The client that the conformance suite of MCP runs: a gateway whose model calls every tool of a server once. The last argument is the
// address of the suite's server. `scripts/test-mcp.ts` starts the suite.

import { argv, env } from 'node:process'
import type { GenerationEvent, JsonObject } from '../../core/index.ts'
import mcp from '../../plugins/tools/mcp/index.ts'
import { gateway, scripted } from '../../test/kit/gateway.ts'

interface ToolCall {
  readonly name: string
  readonly arguments: JsonObject
}

interface Offered {
  readonly name: string
  readonly parameters?: JsonObject
}

const url = argv.at(-1)!
const scenario = env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const { toolCalls = [] } = JSON.parse(env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as { readonly toolCalls?: readonly ToolCall[] }
/** Its server knows no calls. */
const listsOnly = scenario === 'json-schema-ref-no-deref'

const model = scripted('model', async function* ({ request }) {
  const tools = (request.tools ?? []) as readonly Offered[]
  const hasRun = request.input.some(({ type }) => type === 'function_call_output')
  const calls = hasRun || listsOnly ? [] : tools.flatMap(tool => argumentsFor(tool, tools).map(args => ({ name: tool.name, args })))
  if (calls.length === 0) yield* answer
  for (const [index, { name, args }] of calls.entries()) {
    yield { type: 'tool-call', key: `k${index}`, callId: `call_${index}`, name }
    yield { type: 'tool-input', key: `k${index}`, text: JSON.stringify(args) }
  }
  if (calls.length > 0) yield { type: 'finish', reason: 'tool-calls' }
})

const answer: readonly GenerationEvent[] = [
  { type: 'text', text: 'done' },
  { type: 'finish', reason: 'stop' },
]

/** As the suite asks, or else as its schemas allow. */
function argumentsFor({ name, parameters }: Offered, tools: readonly Offered[]): readonly JsonObject[] {
  const asked = toolCalls.filter(call => name.endsWith(`__${call.name}`)).map(call => call.arguments)
  if (asked.length > 0) return asked
  if (name.endsWith('json_schema_2020_12_tool')) return []
  const seen = tools.find(tool => tool.name.endsWith('json_schema_2020_12_tool'))
  if (name.endsWith('json_schema_echo')) return [{ schema: seen?.parameters ?? {} }]
  const { properties = {} } = (parameters ?? {}) as { readonly properties?: Readonly<Record<string, { readonly type?: string }>> }
  return [Object.fromEntries(Object.entries(properties).map(([member, { type }]) => [member, samples[type ?? 'string'] ?? 'demo']))]
}

const samples: Readonly<Record<string, unknown>> = { number: 2, integer: 3, boolean: true, object: {}, array: [] }

const under = await gateway({ plugins: [model, mcp({ origins: [{ origin: new URL(url).origin, local: true }] })] })
const tools = [{ type: 'mcp', server_label: 'suite', server_url: url, require_approval: 'never' }]
const reply = await under.request('/v1/responses', { body: { model: 'model/m', input: 'Call the tools.', tools } })
const body = (await reply.json()) as JsonObject
await under.stop()
if (reply.status !== 200) throw new Error(`the gateway answered ${reply.status}: ${JSON.stringify(body['error'])}`)
for (const item of body['output'] as readonly JsonObject[]) if (item['type'] === 'mcp_call') console.log(JSON.stringify(item))
