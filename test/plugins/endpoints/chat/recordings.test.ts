import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import { testGateway } from '../../../../core/testing/index.ts'
import chat from '../../../../plugins/endpoints/chat/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { recordedReply, recordings, recordingsAbsent, type Recording } from '../../../kit/recordings.ts'
import { pluginOf as pluginOfWire } from '../../../kit/wire-plugins.ts'
import { Oracle, wireOf, type OracleReading } from '../../providers/oracle/oracle.ts'
import { differ, differencesInUsage, normalCalls } from '../../providers/recordings/differences.ts'
import { unaskable } from '../../providers/recordings/request.ts'
import { leftOut, pluginOf } from '../../providers/recordings/selection.ts'
import { RecordedUpstream } from '../../providers/recordings/upstream.ts'
import { chunksIn } from './stage.ts'

// What the vendor's own SDK reads from the recorded bytes, a caller of Chat Completions reads from the gateway with OpenAI's.

t.setTimeout(240_000)

const apiKey = 'sk-demo-replay'
const aws = { credentials: { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: apiKey }, region: 'us-east-1' }
const uses: Readonly<Record<string, (id: string, baseUrl: string, recording: Recording) => PluginUse>> = {
  'openai-chat': (id, baseUrl, { vendor }) => pluginOfWire['openai-chat'](id, baseUrl, vendor),
  'openai-responses': (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey }),
  anthropic: (id, baseUrl) => anthropic({ id, baseUrl, apiKey }),
  gemini: (id, baseUrl) => gemini({ id, baseUrl, apiKey }),
  cohere: (id, baseUrl) => cohere({ id, baseUrl, apiKey }),
  ollama: (id, baseUrl) => ollama({ id, baseUrl, listModels: false }),
  bedrock: (id, baseUrl) => bedrock({ ...aws, id, baseUrl }),
}

t.test('recorded answers of every wire arrive as completions', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  const upstream = new RecordedUpstream()
  await upstream.start()
  t.teardown(() => upstream.close())
  const cases = recordings().flatMap(recording => {
    const use = uses[pluginOf(recording) ?? '']
    const isAskable = use && recording.mode !== 'error' && recording.api !== 'invoke' && leftOut[recording.path] === undefined
    return isAskable ? [{ recording, use }] : []
  })
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }),
      chat({}),
      ...cases.map(({ recording, use }, index) => use(`vendor-${index}`, upstream.baseUrl(`vendor-${index}`), recording)),
    ],
    settings: { retries: 0 },
  })
  t.teardown(() => gateway.stop())
  const isValid = validators()
  const run = new Map<string, number>()
  for (const [index, { recording }] of cases.entries()) {
    const reply = recordedReply(recording)!
    const stream = recording.mode === 'stream'
    const { status } = recording
    const wire = wireOf(recording.api)!
    const recorded = await oracle.read(wire, { status, headers: reply.headers, body: reply.body }, stream)
    // The oracle reads such a text as reasoning where it reads the completion.
    if (wire !== 'openai-chat' && recorded.text.startsWith('<think>')) continue
    if (recorded.error || recorded.finish === null || recorded.finish === 'pause' || unaskable(recorded)) continue
    upstream.prepare(`vendor-${index}`, { status, headers: reply.headers, pieces: [reply.body] })
    const answer = await gateway.request('/v1/chat/completions', {
      method: 'POST',
      body: {
        model: `vendor-${index}/${recording.model || 'any'}`,
        messages: [{ role: 'user', content: 'hi' }],
        stream,
        ...(stream && { stream_options: { include_usage: true } }),
      },
    })
    const body = Buffer.from(await answer.arrayBuffer())
    run.set(wire, (run.get(wire) ?? 0) + 1)
    if (answer.status !== 200) {
      t.fail(`${recording.path}: ${answer.status} ${body.toString()}`)
      continue
    }
    const headers = { 'content-type': answer.headers.get('content-type')! }
    const read = await oracle.read('openai-chat', { status: 200, headers, body }, stream)
    t.same(
      [...differences(recorded, read, wire), ...isValid(body.toString(), stream, wire === 'openai-chat' ? reply.body : undefined)],
      [],
      recording.path,
    )
  }
  t.comment(`recordings run: ${[...run].map(([wire, count]) => `${count} of ${wire}`).join(', ')}`)
  t.ok(run.size > 0)
})

function differences(expected: OracleReading, actual: OracleReading, wire: string): readonly string[] {
  const isOwn = wire === 'openai-chat'
  const same = isOwn ? (text: string): string => text : dense
  const finish = expected.finish === 'stop' && expected.toolCalls.length > 0 ? 'tool-calls' : expected.finish
  const cutShort = finish === 'length'
  const calls = (reading: OracleReading): string => JSON.stringify(normalCalls(reading.toolCalls, cutShort))
  return [
    ...differ('text', same(expected.text), same(actual.text)),
    ...differ('refusal', same(expected.refusal), same(actual.refusal)),
    ...differ('reasoning', same(expected.reasoning), same(actual.reasoning)),
    ...differ('calls', calls(expected), calls(actual)),
    ...differ('finish', finish, actual.finish),
    ...(isOwn ? differ('citations', expected.citations.join(' '), actual.citations.join(' ')) : []),
    ...differencesInUsage(expected.usage, actual.usage && countedIn(actual.usage)),
    ...(actual.withoutSdk ? [`not read by the SDK: ${actual.withoutSdk}`] : []),
  ]
}

function countedIn(usage: NonNullable<OracleReading['usage']>): NonNullable<OracleReading['usage']> {
  const cached = Math.min(usage.cached ?? 0, usage.input)
  return { ...usage, cached, cacheWrite: Math.min(usage.cacheWrite ?? 0, usage.input - cached), reasoning: usage.reasoning ?? 0 }
}

/** Texts and parts of reasoning are joined with blank lines. */
function dense(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** Checks against OpenAI's schema, but for what a recorded reply of the same wire has in another way. */
function validators(): (text: string, stream: boolean, recorded: Uint8Array | undefined) => readonly string[] {
  const file = join(import.meta.dirname, '../../../../../shared/wire-schemas/openai.responses-and-chat.schema.json')
  const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false, allErrors: true, logger: false })
  ajv.addSchema(withNulls(JSON.parse(readFileSync(file, 'utf8'))) as object, 'openai')
  const completion = ajv.compile({ $ref: 'openai#/$defs/CreateChatCompletionResponse' })
  const chunk = ajv.compile({ $ref: 'openai#/$defs/CreateChatCompletionStreamResponse' })
  const problems = (value: unknown, stream: boolean): readonly string[] => {
    const validate = stream ? chunk : completion
    return validate(value) ? [] : validate.errors!.map(({ instancePath, message }) => `${instancePath} ${message}`)
  }
  return (text, stream, recorded) => {
    const bodyOf = (bytes: string): readonly unknown[] =>
      stream ? chunksIn(bytes.replaceAll('\r\n', '\n')) : [JSON.parse(bytes) as unknown]
    const found = (stream ? chunksIn(text) : [JSON.parse(text) as unknown]).flatMap(each => problems(each, stream))
    // The schema has no custom calls in chunks.
    const own = new Set(found.filter(problem => !/tool_calls\/\d+\/type must be equal/.test(problem)))
    if (own.size > 0 && recorded)
      for (const each of bodyOf(Buffer.from(recorded).toString())) for (const known of problems(each, stream)) own.delete(known)
    return [...own]
  }
}

/** JSON Schema has no keyword `nullable`. */
function withNulls(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withNulls)
  if (typeof schema !== 'object' || schema === null) return schema
  const { nullable, $recursiveAnchor: _, ...known } = schema as Record<string, unknown>
  const read = Object.fromEntries(Object.entries(known).map(([name, value]) => [name, withNulls(value)]))
  return nullable === true ? { anyOf: [read, { type: 'null' }] } : read
}
