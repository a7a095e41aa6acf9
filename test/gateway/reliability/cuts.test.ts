import t from 'tap'
import { checkResponse, checkStream, cut, fakeUpstream, type FakeReply } from '../../../core/testing/index.ts'
import { said } from '../../kit/stage.ts'
import { gateway } from '../../kit/gateway.ts'
import { wires, type WireUnderTest } from './wires.ts'

/** The mark of a complete answer in each dialect. */
const ends: Readonly<Record<string, string>> = {
  'openai-chat': '"finish_reason":"stop"',
  'openai-responses': '"type":"response.completed"',
  anthropic: '"stop_reason":"end_turn"',
  gemini: '"finishReason":"STOP"',
  cohere: '"finish_reason":"COMPLETE"',
}
/** Prime, so that the cuts fall everywhere in the frames. */
const stepBytes = 13

for (const wire of wires)
  t.test(`${wire.name}: an answer that is cut at any byte is never a success`, async t => {
    const bodies = { whole: Buffer.from(wire.answer.whole), stream: Buffer.from(wire.answer.stream) }
    const upstream = await fakeUpstream(({ url }) => cutReply(wire, bodies, url))
    const cuts = (['whole', 'stream'] as const).flatMap(mode =>
      Array.from({ length: Math.ceil(bodies[mode].length / stepBytes) }, (_, index) => ({ mode, at: index * stepBytes })),
    )
    const under = await gateway({
      plugins: cuts.map(({ mode, at }) =>
        wire.plugin({ id: `${mode}-${at}`, baseUrl: `${upstream.url}/${mode}-${at}`, apiKey: 'sk-demo-cuts' }),
      ),
      settings: { logLevel: 'silent', retries: 0 },
    })
    t.teardown(async () => {
      await under.stop()
      await upstream.close()
    })
    for (const { mode, at } of cuts) {
      const body = { model: `${mode}-${at}/${wire.model}`, input: 'hi', stream: mode === 'stream' }
      const reply = await under.request('/v1/responses', { body })
      const text = await reply.text()
      if (reply.status !== 200) {
        t.equal(reply.status, 424, `${mode} ${at}`)
        continue
      }
      const streamed = reply.headers.get('content-type') === 'text/event-stream'
      const response = streamed ? checkStream(text).response : checkResponse(JSON.parse(text))
      const isAll = bodies[mode].subarray(0, at).includes(ends[wire.name]!) && said(response) === 'Hello.'
      if (response.status !== 'failed') t.ok(mode === 'stream' && isAll, `${mode} ${at}: ${response.status}`)
    }
  })

function cutReply(wire: WireUnderTest, bodies: Readonly<Record<'whole' | 'stream', Buffer>>, url: string): FakeReply {
  const [mode, at] = url.split('/')[1]!.split('-') as ['whole' | 'stream', string]
  const type = mode === 'whole' ? 'application/json' : wire.answer.streamType
  return { headers: { 'content-type': type }, body: [bodies[mode].subarray(0, Number(at)), cut] }
}
