import { byEveryWay } from '../../kit/by-every-way.ts'
import { gateway, scripted } from '../../kit/gateway.ts'

const large = (bytes: number): object => ({ model: 'acme/m', input: 'x'.repeat(bytes) })

byEveryWay('bodies of one key take at most half of the room, and give it back', async t => {
  let answer!: () => void
  const may = new Promise<void>(resolve => {
    answer = resolve
  })
  let asked = 0
  let isFirst!: () => void
  const first = new Promise<void>(resolve => {
    isFirst = resolve
  })
  const acme = scripted('acme', async function* () {
    if (++asked === 1) isFirst()
    await may
    yield { type: 'text', text: 'hi' }
    yield { type: 'finish', reason: 'stop' }
  })
  const under = await gateway({ plugins: [acme], settings: { maxLiveBodyBytes: 1_000_000 } })
  t.teardown(under.stop)
  const other = await under.gateway.issueKey({ name: 'other' })
  const ask = (bytes: number, apiKey?: string): Promise<Response> =>
    under.request('/v1/responses', { body: large(bytes), ...(apiKey && { headers: { authorization: `Bearer ${apiKey}` } }) })

  const one = ask(400_000)
  await first
  const refused = await ask(200_000)
  t.equal(refused.status, 503)
  t.equal(refused.headers.get('retry-after'), '1')
  t.equal(refused.headers.get('x-should-retry'), 'true')
  t.match(await refused.text(), /server\.maxLiveBodyBytes/)
  const small = ask(1_000)
  const others = ask(400_000, other)
  const full = await ask(400_000, other)
  t.equal(full.status, 503, 'another key has its half, too')
  answer()
  for (const reply of await Promise.all([one, small, others])) t.equal(reply.status, 200)
  t.equal((await ask(450_000)).status, 200, 'the room is free again')
  t.equal((await ask(2_000_000)).status, 200, 'a body that is alone may be larger')
})
