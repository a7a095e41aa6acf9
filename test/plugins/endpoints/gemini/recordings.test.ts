import t from 'tap'
import type { PluginUse } from '../../../../core/framework/plugin.ts'
import { testGateway } from '../../../../core/testing/index.ts'
import geminiApi from '../../../../plugins/endpoints/gemini/index.ts'
import gemini from '../../../../plugins/providers/gemini/index.ts'
import vertex from '../../../../plugins/providers/vertex/index.ts'
import localSealer from '../../../../plugins/sealers/local/index.ts'
import memory from '../../../../plugins/stores/memory/index.ts'
import { FakeGoogle } from '../../../kit/fake-google.ts'
import { recordedReply, recordings, recordingsAbsent, type Recording } from '../../../kit/recordings.ts'
import { Oracle } from '../../providers/oracle/oracle.ts'
import { leftOut } from '../../providers/recordings/selection.ts'
import { RecordedUpstream } from '../../providers/recordings/upstream.ts'
import { faultsOf } from './schema-faults.ts'

// A caller and a vendor of the same wire: what code without the gateway reads from the recorded bytes, it reads from the gateway, too.

t.setTimeout(120_000)

t.test('recorded answers pass without a loss', { skip: recordingsAbsent }, async t => {
  const oracle = await Oracle.start()
  t.teardown(() => oracle.close())
  const upstream = new RecordedUpstream()
  await upstream.start()
  t.teardown(() => upstream.close())
  const google = await FakeGoogle.start()
  const credentials = { json: JSON.stringify(google.serviceAccount) }
  const use = (id: string, { vendor }: Recording): PluginUse => {
    const baseUrl = upstream.baseUrl(id)
    if (vendor === 'vertex-gemini') return vertex({ id, baseUrl, credentials, tokenUrl: `${google.url}/token` })
    return gemini({ id, baseUrl, apiKey: 'sk-demo-replay' })
  }
  const cases = recordings().filter(({ api, mode, path }) => api === 'generateContent' && mode !== 'error' && leftOut[path] === undefined)
  const providers = cases.map((_, index) => `vendor-${index}`)
  const gateway = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: Buffer.alloc(32, 'replay').toString('base64') }),
      geminiApi({}),
      ...providers.map((id, index) => use(id, cases[index]!)),
    ],
    settings: { retries: 0 },
  })
  t.teardown(() => gateway.stop())
  let same = 0
  let blocked = 0
  for (const [index, recording] of cases.entries()) {
    const { headers, body } = recordedReply(recording)!
    const stream = recording.mode === 'stream'
    const recorded = await oracle.read('gemini', { status: 200, headers, body }, stream)
    const text = Buffer.from(body).toString('utf8')
    const isBlocked = /"blockReason"/.test(text)
    const isMedia = recorded.error?.body.includes('MEDIA_ALONE') === true
    // A stream that was cut is a failure, and so is an answer that the vendor calls malformed.
    if ((recorded.error && !isBlocked && !isMedia) || (recorded.finish === null && !isBlocked && !isMedia)) continue
    for (const form of stream ? ['?alt=sse', ''] : ['']) {
      upstream.prepare(providers[index]!, { status: 200, headers, pieces: [body] })
      const model = `${providers[index]}/${recording.model || 'gemini-2.5-flash'}`
      const method = stream ? 'streamGenerateContent' : 'generateContent'
      const answer = await gateway.request(`/v1beta/models/${model}:${method}${form}`, {
        method: 'POST',
        body: { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
      })
      const got = new Uint8Array(await answer.arrayBuffer())
      t.equal(answer.status, 200, `${recording.path} ${Buffer.from(got).toString().slice(0, 300)}`)
      const type = { 'content-type': answer.headers.get('content-type')! }
      const read = await oracle.read('gemini', { status: answer.status, headers: type, body: got }, stream)
      // Where the vendor has not counted, the gateway has.
      t.strictSame({ ...read, ...(!recorded.usage && { usage: null }) }, recorded, recording.path)
      // The vendor itself sends what its description denies, such as numbers for names.
      const vendors = new Set(faultsOf(text))
      t.same(
        faultsOf(Buffer.from(got).toString()).filter(fault => !vendors.has(fault)),
        [],
        recording.path,
      )
      if (isBlocked) blocked += 1
      same += 1
    }
  }
  t.comment(`${same} replies of ${cases.length} recordings, ${blocked} of a blocked prompt`)
  t.ok(same > 0)
})
