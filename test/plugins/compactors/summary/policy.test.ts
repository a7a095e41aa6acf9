import t from 'tap'
import type { JsonObject } from '../../../../core/index.ts'
import summary from '../../../../plugins/compactors/summary/index.ts'
import redaction from '../../../../plugins/guardrails/redaction/index.ts'
import words from '../../../../plugins/guardrails/words/index.ts'
import zdr from '../../../../plugins/guardrails/zdr/index.ts'
import { gateway } from '../../../kit/gateway.ts'
import { ask, listing, stop, text, usage, witness } from '../../../kit/stage.ts'
import { asksForSummary, assistant, compacting, conversation, logging, long, scribe, textsIn, threshold, trigger, user } from './stage.ts'

t.test('placeholders of redaction are restored before the summary is sealed', async t => {
  const acme = scribe('acme', {}, call => `Mail to ${/\[EMAIL_\d\]/.exec(JSON.stringify(call.request.input))?.[0]}.`)
  const policy = { logging: { value: true }, redaction: { value: true } }
  const under = await compacting(t, [acme.plugin, redaction({})], { ...logging, policy })
  const input = [user('I am jane@example.com.'), assistant(long(1_200)), user('Who am I?')]
  const { response } = await ask(under, { model: 'acme/m', input, ...threshold(1_000) })
  for (const call of acme.calls) t.notMatch(JSON.stringify(call.request), /jane@example/, 'no model sees the address')
  t.match(textsIn(acme.calls[1]!).join(), /Mail to \[EMAIL_1\]/)

  const plain = await under.gateway.issueKey({ name: 'plain', user: 'jane', policy: {} })
  const headers = { authorization: `Bearer ${plain}` }
  await ask(under, { model: 'acme/m', input: [...response.output, user('And?')] }, headers)
  t.match(textsIn(acme.calls.at(-1)!).join(), /Mail to jane@example\.com\./)
})

t.test('a compaction is of use to its owner alone', async t => {
  const acme = scribe('acme')
  const under = await compacting(t, [acme.plugin])
  const { response } = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  const as = async (settings: object) => ({ authorization: `Bearer ${await under.gateway.issueKey({ ...logging, ...settings })}` })
  const input = [...response.output, user('And?')]
  t.equal((await ask(under, { model: 'acme/m', input }, await as({}))).status, 200, 'a new key of the same owner')
  for (const settings of [{ user: 'john' }, { org: 'globex' }]) {
    const { status, error } = await ask(under, { model: 'acme/m', input }, await as(settings))
    t.equal(status, 400)
    t.match(error, { param: 'input', message: /cannot be opened/ })
  }
  const forged = { ...response.output[0], encrypted_content: `${response.output[0]!['encrypted_content']}A` }
  t.equal((await ask(under, { model: 'acme/m', input: [forged, user('And?')] })).status, 400)
  t.equal((await ask(under, { model: 'acme/m', input: [{ type: 'compaction', encrypted_content: 'tpk1.' }, user('x')] })).status, 400)
  t.equal((await ask(under, { model: 'acme/m', input: [{ type: 'compaction', encrypted_content: 'made up' }, user('x')] })).status, 400)
})

t.test('an option names another model, which the key must allow', async t => {
  const acme = scribe('acme')
  const cheap = scribe('cheap')
  const under = await gateway({ plugins: [summary({ model: 'cheap/small' }), acme.plugin, cheap.plugin], key: logging })
  t.teardown(under.stop)
  await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  t.equal(cheap.calls.length, 1)
  t.equal(acme.calls.length, 1)
  t.match(textsIn(acme.calls[0]!).at(-2), /WHAT WAS SAID/)
  const headers = { authorization: `Bearer ${await under.gateway.issueKey({ ...logging, providers: ['acme'] })}` }
  const own = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) }, headers)
  t.equal(own.status, 200)
  t.equal(cheap.calls.length, 1, 'a key without it')
  t.equal(acme.calls.length, 3)
})

t.test('vendors compact if every endpoint of the request can, unless the option says otherwise', async t => {
  const capabilities = { contextManagement: true, builtInTools: true }
  const vendor = (id: string) =>
    witness(
      id,
      call => {
        if (asksForSummary(call)) return [text('OURS'), stop]
        const isAsked = call.request.input.at(-1)?.type === 'compaction_trigger'
        return isAsked ? [{ type: 'compaction', opaque: 'theirs' }, stop] : [text('answer'), stop]
      },
      { capabilities },
    )
  const acme = vendor('acme')
  const under = await compacting(t, [acme.plugin, scribe('globex').plugin])
  await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  t.match(acme.calls, { length: 1 })
  t.match(acme.calls[0]!.request.context_management, [{ compact_threshold: 1_000 }])
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: conversation } })
  const { output } = (await reply.json()) as { output: JsonObject[] }
  t.same(acme.calls[1]!.request.input.at(-1), trigger)
  t.match(output.at(-1), { type: 'compaction', encrypted_content: /^tps1\./ })
  t.equal((await ask(under, { model: 'acme/m', input: [...output, user('And?')] })).status, 200)
  t.match(acme.calls.at(-1)!.request.input.at(-2), { type: 'compaction', encrypted_content: 'theirs' })
  for (const model of ['globex/n', 'acme/other']) {
    const { status, error } = await ask(under, { model, input: [...output, user('And?')] })
    t.equal(status, 400, model)
    t.match(error, { param: 'input', message: /only the model and the account can read/ })
  }
  const mixed = { routing: { model: { fallbacks: ['globex/n'] } } }
  const portable = await ask(under, { model: 'acme/m', input: [...conversation, trigger], ...mixed })
  t.match(portable.response.output, [{ encrypted_content: /^tpk1\./ }], 'an item that the fallback can read, too')
  const bound = await ask(under, { model: 'globex/n', input: [...output, user('And?')], routing: { model: { fallbacks: ['acme/m'] } } })
  t.equal(bound.headers.get('x-gateway-provider'), 'acme', 'an item of a vendor chooses the endpoint')

  const always = await gateway({ plugins: [summary({ compaction: 'portable' }), vendor('acme').plugin], key: logging })
  t.teardown(always.stop)
  const summarized = await ask(always, { model: 'acme/m', input: [...conversation, trigger] })
  t.match(summarized.response.output, [{ encrypted_content: /^tpk1\./ }])
})

t.test('a vendor that answers a trigger with something else has failed', async t => {
  const acme = witness('acme', () => [text('hello'), stop], { capabilities: { contextManagement: true } })
  const under = await compacting(t, [acme.plugin])
  const reply = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: 'hi' } })
  t.equal(reply.status, 424)
  t.match(((await reply.json()) as { error: JsonObject }).error, { message: /answered without one/ })
})

t.test('the model that summarizes keeps the policy of the key', async t => {
  const zdrPolicy = { zdr: { policy_url: 'https://example.com/zdr' } }
  const acme = scribe('acme')
  const cheap = scribe('cheap')
  const list = listing(
    { model: 'm', endpoints: [{ provider: 'acme', ...zdrPolicy }] },
    { model: 'small', endpoints: [{ provider: 'cheap', zdr: false }] },
  )
  const plugins = [summary({ model: 'small' }), acme.plugin, cheap.plugin, list, zdr({})]
  const under = await gateway({ plugins, key: { ...logging, policy: { zdr: { value: true } } } })
  t.teardown(under.stop)
  const { response, requestId } = await ask(under, { model: 'm', input: [...conversation, trigger] })
  t.equal(response.output[0]!['type'], 'compaction')
  t.equal(cheap.calls.length, 0)
  t.match((await under.record(requestId)).notes, [
    { kind: 'compaction', summary: { model: 'small', refused: 'policy_refusal' } },
    { kind: 'compaction', summary: { provider: 'acme' } },
  ])
})

t.test('with request logging off, nothing of a compaction is written', async t => {
  const acme = scribe('acme', {}, () => 'CANARY of the summary')
  const under = await compacting(t, [acme.plugin], { name: 'test', policy: {} })
  const { response, requestId } = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  await ask(under, { model: 'acme/m', input: [...response.output, user('Go on.')] })
  const record = await under.record(requestId)
  t.notMatch(JSON.stringify(record), /CANARY|slate|tpk1/)
  t.notMatch(under.logs.join(), /CANARY|slate|tpk1/)
})

t.test('a guardrail that refuses a summary refuses the request', async t => {
  for (const [place, told] of [
    ['at its end', 'Look at the bluebird'],
    ['in its middle', 'Look at the bluebird and at all the others that are here'],
  ] as const) {
    const acme = scribe('acme', {}, () => told)
    const under = await compacting(t, [acme.plugin, words({ words: ['bluebird'] })])
    for (const stream of [false, true]) {
      const before = acme.calls.length
      const { status } = await ask(under, { model: 'acme/m', input: conversation, stream, ...threshold(1_000) })
      t.equal(status, 400, place)
      t.equal(acme.calls.length, before + 1, 'nothing is answered')
    }
  }
})

t.test('a summary that the vendor’s filter cut is none', async t => {
  const cut = { type: 'finish', reason: 'content-filter' } as const
  const acme = witness('acme', call => (asksForSummary(call) ? [text('The first half'), usage(100, 20), cut] : [text('answer'), stop]))
  const under = await compacting(t, [acme.plugin])
  const whole = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
  t.match(whole.response.output, [{ type: 'message' }])
  t.match(whole.headers.get('x-gateway-warnings'), /could not be summarized/)
  const triggered = await ask(under, { model: 'acme/m', input: [...conversation, trigger] })
  t.equal(triggered.status, 424)
  t.match((await under.record(triggered.requestId)).usage, { output: 20 }, 'it is charged')
})
