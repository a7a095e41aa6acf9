import t from 'tap'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import { testGateway } from '../../../../core/testing/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import azure from '../../../../plugins/providers/azure/index.ts'
import bedrock from '../../../../plugins/providers/bedrock/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply, type Recording } from '../../../kit/recordings.ts'
import { Oracle, wireOf, type OracleReading } from '../../providers/oracle/oracle.ts'
import { continuationOf, joinAfterPause } from '../../providers/recordings/pause.ts'
import { leftOut } from '../../providers/recordings/selection.ts'
import { RecordedUpstream } from '../../providers/recordings/upstream.ts'

// A caller and a vendor of the same wire: what the vendor's own SDK reads from the recorded bytes, it reads from the gateway, too.

t.setTimeout(120_000)

t.test('recorded answers pass without a loss', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  const upstream = new RecordedUpstream()
  await upstream.start()
  t.teardown(() => upstream.close())
  const google = await FakeGoogle.start()
  const credentials = { json: JSON.stringify(google.serviceAccount) }
  const aws = { credentials: { accessKeyId: 'AKIADEMOREPLAY', secretAccessKey: 'sk-demo-replay' }, region: 'us-east-1' }
  const use = (id: string, { vendor, api }: Recording): PluginUse => {
    const baseUrl = upstream.baseUrl(id)
    if (api === 'invoke') return bedrock({ ...aws, id, baseUrl, invoke: { '*': 'anthropic' } })
    if (vendor === 'azure-anthropic') return azure({ id, baseUrl, apiKey: 'demo-azure-key', api: 'anthropic' })
    if (vendor === 'vertex-anthropic') return vertex({ id, baseUrl, credentials, tokenUrl: `${google.url}/token` })
    return anthropic({ id, baseUrl, apiKey: 'sk-demo-replay' })
  }
  const cases = recordings().filter(
    ({ api, mode, model, path }) =>
      (api === 'messages' || (api === 'invoke' && /claude/.test(model))) && mode !== 'error' && leftOut[path] === undefined,
  )
  const providers = cases.map((_, index) => `vendor-${index}`)
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }),
      messages({}),
      ...providers.map((id, index) => use(id, cases[index]!)),
    ],
    settings: { retries: 0 },
  })
  t.teardown(() => gateway.stop())
  let same = 0
  for (const [index, recording] of cases.entries()) {
    const reply = recordedReply(recording)!
    const stream = recording.mode === 'stream'
    const readRecorded = ({ headers, body }: RecordedReply): Promise<OracleReading> =>
      oracle.read(wireOf(recording.api)!, { status: 200, headers, body }, stream)
    const first = await readRecorded(reply)
    // A stream that was cut is a failure.
    if (first.error || first.finish === null) continue
    const next = first.finish === 'pause' ? continuationOf(recording, reply) : undefined
    const recorded = next ? joinAfterPause(first, await readRecorded(next)) : first
    const served = [reply, ...(next ? [next] : [])]
    upstream.prepare(providers[index]!, ...served.map(({ headers, body }) => ({ status: 200, headers, pieces: [body] })))
    const answer = await gateway.request('/v1/messages', {
      method: 'POST',
      body: { model: `${providers[index]}/${recording.model}`, max_tokens: 1000, messages: [{ role: 'user', content: 'hi' }], stream },
    })
    const body = new Uint8Array(await answer.arrayBuffer())
    t.equal(answer.status, 200, recording.path)
    const headers = { 'content-type': answer.headers.get('content-type')! }
    const read = await oracle.read('anthropic', { status: answer.status, headers, body }, stream)
    // The gateway's events have no faults for which a vendor's have to be read without its SDK.
    t.strictSame({ ...read, withoutSdk: recorded.withoutSdk }, recorded, recording.path)
    same += 1
  }
  t.comment(`${same} of ${cases.length} recordings run`)
  t.ok(same > 0)
})
