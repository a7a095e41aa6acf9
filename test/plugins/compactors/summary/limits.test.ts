import t from 'tap'
import { ProviderFailure, type GenerationEvent } from '../../../../core/index.ts'
import { scripted } from '../../../kit/gateway.ts'
import { ask, listing, said, stop, text, usage, witness } from '../../../kit/stage.ts'
import { asksForSummary, assistant, compacting, conversation, logging, long, scribe, textsIn, threshold, trigger, user } from './stage.ts'

t.test('a longer conversation than the context window is summarized in parts', async t => {
  const acme = scribe('acme', {}, call => `part ${/part (\d) of/.exec(textsIn(call).at(-1)!)?.[1]}`)
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', contextWindow: 16_000, tokenizer: 'o200k_base' }] })
  const under = await compacting(t, [acme.plugin, list])
  const turns = Array.from({ length: 12 }, (_, index) => [user(`${index} ${long(1_000)}`), assistant(long(1_000))]).flat()
  const { response, headers, status } = await ask(under, { model: 'm', input: [...turns, user('And now?')], ...threshold(10_000) })
  t.equal(status, 200)
  const parts = acme.calls.slice(0, -1)
  t.ok(parts.length > 3, `${parts.length} parts`)
  for (const [index, call] of parts.entries()) {
    t.equal(textsIn(call)[0]!.startsWith('<conversation_summary>'), index > 0)
    t.ok(textsIn(call).join().length / 6 < 16_000)
  }
  t.match(textsIn(acme.calls.at(-1)!).at(-2), new RegExp(`part ${parts.length}\n`))
  t.match(headers.get('x-gateway-warnings'), /summarized in \d parts/)
  t.match(response.usage, { input_tokens: 100 * parts.length + 10 })

  const endless = Array.from({ length: 200 }, () => [user(long(2_000)), assistant(long(2_000))]).flat()
  const { status: refused, error } = await ask(under, { model: 'm', input: [...endless, user('And now?')], ...threshold(10_000) })
  t.equal(refused, 400)
  t.match(error, { code: 'context_length_exceeded', message: /more than 8 parts/ })
})

t.test('one message that is longer than the window loses its middle', async t => {
  const acme = scribe('acme')
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', contextWindow: 8_000, tokenizer: 'o200k_base' }] })
  const under = await compacting(t, [acme.plugin, list])
  const call = { type: 'function_call', call_id: 'a', name: 'read', arguments: '{}' }
  const output = { type: 'function_call_output', call_id: 'a', output: long(40_000) }
  const { status } = await ask(under, { model: 'm', input: [user('Read.'), call, output, trigger] })
  t.equal(status, 200)
  t.match(JSON.stringify(acme.calls[1]!.request.input), /function_call_output.*characters left out/)
})

t.test('without a summary, the conversation is answered as a whole, and an asked compaction fails', async t => {
  const failing = new ProviderFailure({ kind: 'unavailable', message: 'no', status: 503 })
  const outcomes: Readonly<Record<string, () => readonly GenerationEvent[]>> = {
    failure: () => {
      throw failing
    },
    silence: () => [{ type: 'reasoning', form: 'full', text: 'hm' }, stop],
    refusal: () => [{ type: 'refusal', text: 'I will not.' }, stop],
    call: () => [
      { type: 'tool-call', key: 'a', name: 'look' },
      { type: 'finish', reason: 'tool-calls' },
    ],
  }
  for (const [name, outcome] of Object.entries(outcomes)) {
    const acme = witness('acme', call => (asksForSummary(call) ? outcome() : [text('answer'), stop]))
    const under = await compacting(t, [acme.plugin])
    const { response, headers } = await ask(under, { model: 'acme/m', input: conversation, ...threshold(1_000) })
    t.equal(said(response), 'answer', name)
    t.equal(response.output.length, 1)
    t.match(headers.get('x-gateway-warnings'), /context_management: the conversation could not be summarized/)
    t.equal(acme.calls.at(-1)!.request.input.length, conversation.length)
    const asked = await under.request('/v1/responses/compact', { body: { model: 'acme/m', input: conversation } })
    t.equal(asked.status, 424, name)
  }
})

t.test('a spend cap that does not cover the summary is a 402, and one that covers it alone ends the answer', async t => {
  const price = { input: 1, output: 10 }
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price, tokenizer: 'o200k_base' }] })
  const acme = scribe('acme')
  for (const [cap, expected] of [
    [0.000_001, 402],
    [10, 200],
  ] as const) {
    const under = await compacting(t, [acme.plugin, list], { ...logging, spendCapUsd: cap })
    const { status } = await ask(under, { model: 'm', input: conversation, ...threshold(1_000) })
    t.equal(status, expected)
    t.equal((await under.request('/v1/responses/compact', { body: { model: 'm', input: conversation } })).status, expected)
  }
})

t.test('a cap that covers the summary and not the answer ends the response with the compaction', async t => {
  const price = { input: 1, output: 10 }
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price, tokenizer: 'o200k_base', maxOutputTokens: 50_000 }] })
  const acme = witness('acme', call =>
    asksForSummary(call) ? [text('SAID'), usage(100, 15_950), stop] : [text('answer'), usage(10, 2), stop],
  )
  const under = await compacting(t, [acme.plugin, list])
  for (const stream of [false, true]) {
    const headers = { authorization: `Bearer ${await under.gateway.issueKey({ ...logging, spendCapUsd: 0.16 })}` }
    const { response, status, requestId } = await ask(under, { model: 'm', input: conversation, stream, ...threshold(1_000) }, headers)
    t.equal(status, 200)
    t.equal(response.status, 'incomplete')
    t.same(
      response.output.map(({ type }) => type),
      ['compaction'],
    )
    t.equal((await under.record(requestId)).costUsd, 0.1596)
    const again = await ask(under, { model: 'm', input: conversation }, headers)
    t.equal(again.status, 402, 'it is charged')
  }
})

t.test('a caller that leaves while the summary is written is charged for what was generated', async t => {
  const leaving = new AbortController()
  const acme = scripted('acme', async function* ({ signal }) {
    yield text('The summary beg')
    leaving.abort()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  })
  const list = listing({ model: 'm', endpoints: [{ provider: 'acme', price: { input: 1, output: 10 } }] })
  const under = await compacting(t, [acme, list])
  const body = { model: 'm', input: conversation, stream: true, ...threshold(1_000) }
  const asking = under.request('/v1/responses', { body, signal: leaving.signal }).then(reply => reply.text())
  await asking.catch(() => undefined)
  const [record] = await under.recorded(1)
  t.equal(record!.status, 499)
  t.ok(record!.costUsd! > 0)
  t.equal(record!.attempts.length, 1)
})

t.test('two hundred at once, each with its own', async t => {
  const acme = scribe('acme', {}, call => `of ${/number \d+/.exec(textsIn(call)[0]!)?.[0]}`)
  const under = await compacting(t, [acme.plugin])
  const numbers = Array.from({ length: 200 }, (_, index) => index)
  await Promise.all(
    numbers.map(async number => {
      const input = [user(`I am number ${number}`), assistant(long(1_400)), user('Who am I?')]
      const { response } = await ask(under, { model: 'acme/m', input, stream: number % 2 === 0, ...threshold(1_000) })
      const next = await ask(under, { model: 'acme/m', input: [...response.output, user(`After ${number}`)] })
      if (next.status !== 200) t.fail(`${next.status}`)
    }),
  )
  const after = acme.calls.map(textsIn).filter(texts => texts.at(-1)!.startsWith('After '))
  t.equal(after.length, 200)
  for (const texts of after) {
    const number = texts.at(-1)!.slice('After '.length)
    if (!texts.some(each => each.includes(`of number ${number}\n`))) t.fail(`${number} got ${texts.join()}`)
  }
})
