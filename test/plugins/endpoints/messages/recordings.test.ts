import t from 'tap'
import { testGateway } from '../../../../core/testing/index.ts'
import messages from '../../../../plugins/endpoints/messages/index.ts'
import anthropic from '../../../../plugins/providers/anthropic/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { recordedReply, recordings, recordingsAbsent, type RecordedReply } from '../../../kit/recordings.ts'
import { Oracle, type OracleReading } from '../../providers/oracle/oracle.ts'
import { continuationOf, joinAfterPause } from '../../providers/recordings/pause.ts'
import { pluginOf } from '../../providers/recordings/selection.ts'
import { RecordedUpstream } from '../../providers/recordings/upstream.ts'

// A caller and a vendor of the same wire: what the vendor's own SDK reads from the recorded bytes, it reads from the gateway, too.

t.setTimeout(120_000)

t.test('recorded answers pass without a loss', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  const upstream = new RecordedUpstream()
  await upstream.start()
  t.teardown(() => upstream.close())
  const cases = recordings().filter(each => pluginOf(each) === 'anthropic' && each.vendor === 'anthropic' && each.mode !== 'error')
  const providers = cases.map((_, index) => `vendor-${index}`)
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }),
      messages({}),
      ...providers.map(id => anthropic({ id, baseUrl: upstream.baseUrl(id), apiKey: 'sk-demo-replay' })),
    ],
    settings: { retries: 0 },
  })
  t.teardown(() => gateway.stop())
  let same = 0
  for (const [index, recording] of cases.entries()) {
    const reply = recordedReply(recording)!
    const stream = recording.mode === 'stream'
    const readRecorded = ({ headers, body }: RecordedReply): Promise<OracleReading> =>
      oracle.read('anthropic', { status: 200, headers, body }, stream)
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
    t.strictSame(read, recorded, recording.path)
    same += 1
  }
  t.comment(`${same} of ${cases.length} recordings run`)
  t.ok(same > 0)
})
