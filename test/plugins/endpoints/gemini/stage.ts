import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import { fakeUpstream, type FakeReply, type ReceivedRequest, type TestGateway } from '../../../../core/testing/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import { gateway, type GatewayUnderTest } from '../../../kit/gateway.ts'
import { responsesIn } from './schema-faults.ts'

export interface ContentReply {
  readonly status: number
  readonly headers: Headers
  /** The response, or the error. Of a stream, what its responses add up to. */
  readonly body: JsonObject & {
    readonly candidates: readonly (JsonObject & { readonly content: { readonly parts: readonly JsonObject[] } })[]
    readonly usageMetadata: JsonObject
    readonly error: JsonObject
  }
  readonly chunks: readonly JsonObject[]
}

export const hi = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

/** Asks for content: whole, as events, or as a list. */
export async function askContent(
  under: TestGateway,
  model: string,
  body: object = {},
  form: 'whole' | 'events' | 'list' = 'whole',
): Promise<ContentReply> {
  const method = form === 'whole' ? 'generateContent' : `streamGenerateContent${form === 'events' ? '?alt=sse' : ''}`
  const reply = await under.request(`/v1beta/models/${model}:${method}`, { body: { ...hi, ...body } })
  const text = await reply.text()
  const chunks = responsesIn(text)
  const read = form === 'whole' || reply.status !== 200 ? (chunks[0] ?? {}) : folded(chunks)
  return { status: reply.status, headers: reply.headers, body: read as ContentReply['body'], chunks }
}

/** What a stream adds up to. Pieces of a text become one part. */
export function folded(chunks: readonly JsonObject[]): JsonObject {
  let response: JsonObject = {}
  let candidate: JsonObject = {}
  const parts: JsonObject[] = []
  for (const [index, chunk] of chunks.entries()) {
    const { candidates, ...rest } = chunk
    const [first = {}] = (candidates ?? []) as readonly JsonObject[]
    if (first['finishReason'])
      t.notOk(
        chunks.slice(index + 1).some(later => indexOf(later) === indexOf(chunk)),
        'nothing follows the end',
      )
    response = { ...response, ...rest }
    candidate = { ...candidate, ...first }
    for (const part of ((first['content'] as JsonObject | undefined)?.['parts'] ?? []) as readonly JsonObject[]) add(parts, part)
  }
  return { ...response, candidates: [{ ...candidate, content: { role: 'model', parts } }] }
}

function indexOf({ candidates }: JsonObject): unknown {
  return (candidates as readonly JsonObject[] | undefined)?.[0]?.['index']
}

function add(parts: JsonObject[], part: JsonObject): void {
  if (part['text'] === '' && part['thoughtSignature'] === undefined) return
  const last = parts.at(-1)
  const joins = last && typeof last['text'] === 'string' && typeof part['text'] === 'string' && last['thought'] === part['thought']
  if (joins && part['thoughtSignature'] === undefined)
    parts[parts.length - 1] = { ...last, text: `${String(last['text'])}${String(part['text'])}` }
  else parts.push(part)
}

export interface Stage {
  readonly under: GatewayUnderTest
  readonly asked: ReceivedRequest[]
}

/** A gateway before a vendor of this API that answers with this response, whole or as a stream of one. */
export async function stage(
  t: { teardown(fn: () => unknown): void },
  reply: JsonObject,
  { plugins = [], surface = {}, key }: { plugins?: readonly PluginUse[]; surface?: object; key?: object } = {},
): Promise<Stage> {
  const asked: ReceivedRequest[] = []
  const vendor = await fakeUpstream((request): FakeReply => {
    asked.push(request)
    return request.url.includes('stream')
      ? { headers: { 'content-type': 'text/event-stream' }, body: `data: ${JSON.stringify(reply)}\n\n` }
      : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(reply) }
  })
  t.teardown(() => vendor.close())
  const under = await gateway({
    plugins: [geminiApi(surface), gemini({ baseUrl: vendor.url, apiKey: 'sk-demo-1' }), ...plugins],
    ...(key && { key }),
  })
  t.teardown(under.stop)
  return { under, asked }
}
