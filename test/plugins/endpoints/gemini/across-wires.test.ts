import t from 'tap'
import type { PluginUse } from '../../../../core/index.ts'
import { testGateway } from '../../../../core/testing/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import cohere from '../../../../plugins/providers/cohere/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import ollama from '../../../../plugins/providers/ollama/index.ts'
import openaiResponses from '../../../../plugins/providers/openai-responses/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { recordedReply, recordings, recordingsAbsent, type Recording } from '../../../kit/recordings.ts'
import { pluginOf as pluginOfWire } from '../../../kit/wire-plugins.ts'
import { Oracle, wireOf, type OracleReading } from '../../providers/oracle/oracle.ts'
import { differ } from '../../providers/recordings/differences.ts'
import { unaskable } from '../../providers/recordings/request.ts'
import { leftOut, pluginOf } from '../../providers/recordings/selection.ts'
import { RecordedUpstream } from '../../providers/recordings/upstream.ts'
import { faultsOf } from './schema-faults.ts'

// A caller of the Gemini API and a vendor of another wire: what the vendor said and what the caller reads are the same.

t.setTimeout(120_000)

const apiKey = 'sk-demo-replay'
const aws = { credentials: { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: apiKey }, region: 'us-east-1' }
const uses: Readonly<Record<string, (id: string, baseUrl: string, recording: Recording) => PluginUse>> = {
  'openai-chat': (id, baseUrl, { vendor }) => pluginOfWire['openai-chat'](id, baseUrl, vendor),
  'openai-responses': (id, baseUrl) => openaiResponses({ id, baseUrl, apiKey }),
  anthropic: (id, baseUrl) => anthropic({ id, baseUrl, apiKey }),
  cohere: (id, baseUrl) => cohere({ id, baseUrl, apiKey }),
  ollama: (id, baseUrl) => ollama({ id, baseUrl, listModels: false }),
  bedrock: (id, baseUrl) => bedrock({ ...aws, id, baseUrl }),
}

t.test('recorded answers of other wires arrive as candidates', { skip: recordingsAbsent }, async t => {
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
      geminiApi({}),
      ...cases.map(({ recording, use }, index) => use(`vendor-${index}`, upstream.baseUrl(`vendor-${index}`), recording)),
    ],
    settings: { retries: 0 },
  })
  t.teardown(() => gateway.stop())
  let run = 0
  for (const [index, { recording }] of cases.entries()) {
    const reply = recordedReply(recording)!
    const stream = recording.mode === 'stream'
    const { status } = recording
    const recorded = await oracle.read(wireOf(recording.api)!, { status, headers: reply.headers, body: reply.body }, stream)
    if (recorded.error || recorded.finish === null || recorded.finish === 'pause' || unaskable(recorded)) continue
    upstream.prepare(`vendor-${index}`, { status, headers: reply.headers, pieces: [reply.body] })
    const model = encodeURIComponent(`vendor-${index}/${recording.model || 'any'}`)
    const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
    const answer = await gateway.request(`/v1beta/models/${model}:${method}`, {
      method: 'POST',
      body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
    })
    const body = Buffer.from(await answer.arrayBuffer())
    run += 1
    if (answer.status !== 200) {
      t.fail(`${recording.path}: ${answer.status} ${body.toString()}`)
      continue
    }
    const headers = { 'content-type': answer.headers.get('content-type')! }
    const read = await oracle.read('gemini', { status: 200, headers, body }, stream)
    t.same([...differences(recorded, read), ...faultsOf(body.toString())], [], recording.path)
  }
  t.comment(`${run} of ${cases.length} recordings run`)
  t.ok(run > 0)
})

function differences(expected: OracleReading, actual: OracleReading): readonly string[] {
  return [
    ...differ('text', expected.text + expected.refusal, actual.text),
    ...differ('reasoning', dense(expected.reasoning), dense(actual.reasoning)),
    ...differ('calls', JSON.stringify(callsOf(expected)), JSON.stringify(callsOf(actual))),
    ...differ('finish', expected.finish === 'tool-calls' ? 'stop' : expected.finish, actual.finish),
    ...(expected.usage
      ? [
          ...differ('input', expected.usage.input, actual.usage?.input),
          ...differ('cached', Math.min(expected.usage.cached ?? 0, expected.usage.input), actual.usage?.cached ?? 0),
          ...differ('output', expected.usage.output, actual.usage?.output),
        ]
      : []),
  ]
}

/** Parts of reasoning are joined with blank lines. */
function dense(text: string): string {
  return text.replaceAll(/\s+/g, '')
}

/** A call whose arguments were broken off is left out. */
function callsOf({ toolCalls }: OracleReading): readonly unknown[] {
  return toolCalls.flatMap(({ name, arguments: text, custom }) => {
    if (custom) return [[name, { input: text }]]
    try {
      return [[name, JSON.parse(text || '{}') ?? {}]]
    } catch {
      return []
    }
  })
}
