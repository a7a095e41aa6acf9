import t from 'tap'
import type { GenerationEvent } from '../../../core/index.ts'
import { checkStream, type CheckedResponse } from '../../../core/testing/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import responses from '../../../plugins/endpoints/responses/index.ts'
import memory from '../../../plugins/stores/memory/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'
import { testGateway } from '../../../core/testing/index.ts'
import { gateway } from '../../kit/gateway.ts'
import { engine } from '../../kit/search-stage.ts'
import { ask, guarding, stop, text, witness } from '../../kit/stage.ts'
import { calling, toCall } from '../../kit/tool-stage.ts'

const tools = [{ type: 'web_search' }]
const a = { type: 'url_citation', url: 'https://example.com/a', title: 'A' }
const b = { type: 'url_citation', url: 'https://docs.example.com/b', title: 'B' }

interface Part {
  readonly text: string
  readonly annotations: readonly { readonly url: string; readonly start_index: number; readonly end_index: number }[]
}

/** Searches, then answers with these events. */
function answering(events: readonly GenerationEvent[]): ReturnType<typeof witness> {
  return witness('acme', (_, count) => (count === 1 ? [...calling('managed_web_search', { query: 'a' }), toCall] : [...events, stop]))
}

function partsOf({ output }: CheckedResponse): readonly Part[] {
  return output.flatMap(item => (item['type'] === 'message' ? (item['content'] as readonly Part[]) : []))
}

/** The text at each annotation. */
function quotes(response: CheckedResponse): readonly string[] {
  return partsOf(response).flatMap(({ text, annotations = [] }) =>
    annotations.map(({ start_index, end_index }) => text.slice(start_index, end_index)),
  )
}

t.test('an answer that quotes an address of a result has an annotation there', async t => {
  const said =
    '😀 Über A: https://example.com/a. See [B](https://docs.example.com/b), again https://example.com/a and https://example.com/other'
  for (const stream of [false, true])
    for (const size of [1, 1_000]) {
      const acme = answering(said.match(new RegExp(`[^]{1,${size}}`, 'gu'))!.map(text))
      const under = await gateway({ plugins: [acme.plugin, engine('found').plugin, webSearch({})] })
      const { response } = await ask(under, { model: 'acme/m', tools, stream })
      const [{ text: whole, annotations }] = partsOf(response) as [Part]
      t.equal(whole, said)
      t.match(annotations, [a, b, a])
      t.same(quotes(response), ['https://example.com/a', '[B](https://docs.example.com/b)', 'https://example.com/a'])
      t.equal(annotations[0]!.start_index, said.indexOf('https'), 'offsets are in UTF-16 units')
      await under.stop()
    }
})

t.test('an annotation is streamed as soon as its address has ended, and delays no text', async t => {
  const pieces = ['See https://exam', 'ple.com/a', ' and', ' more']
  const acme = answering(pieces.map(text))
  const plugins = [acme.plugin, engine('found').plugin, webSearch({})]
  const under = await gateway({ plugins })
  t.teardown(under.stop)
  const body = { model: 'acme/m', input: 'hi', tools, stream: true }
  const events = (stream: string): readonly (readonly [string, unknown])[] =>
    [...stream.matchAll(/^data: (.*)$/gm)]
      .map(([, data]) => JSON.parse(data!) as Record<string, unknown>)
      .filter(({ type }) => /output_text\.(delta|annotation)/.test(String(type)))
      .map(event => [String(event['type']).split('.')[2]!, event['delta'] ?? event['annotation_index']])
  const stream = await (await under.request('/v1/responses', { body })).text()
  t.same(events(stream), [
    ['delta', pieces[0]],
    ['delta', pieces[1]],
    ['delta', pieces[2]],
    ['annotation', 0],
    ['delta', pieces[3]],
  ])
  checkStream(stream)

  const documented = await testGateway({
    plugins: [
      memory({}),
      localSealer({ masterKey: 'ab'.repeat(32) }),
      responses({ events: 'documented' }),
      ...plugins.slice(1),
      answering(pieces.map(text)).plugin,
    ],
  })
  t.teardown(documented.stop)
  const without = await (await documented.request('/v1/responses', { body })).text()
  t.same(
    events(without).map(([type]) => type),
    ['delta', 'delta', 'delta', 'delta'],
  )
  t.same(quotes(checkStream(without, { events: 'documented' }).response), ['https://example.com/a'], 'the response has them all the same')
})

t.test('each message and each part counts from its own beginning', async t => {
  const refusal = (said: string): GenerationEvent => ({ type: 'refusal', text: said })
  const said = [
    { type: 'text', text: 'First https://example.com/a', phase: 'commentary' } as const,
    { type: 'item-end' } as const,
    text('Then https://example.com/a'),
    refusal('I cannot say https://example.com/a'),
    text('ok: https://docs.example.com/b'),
  ]
  for (const stream of [false, true]) {
    const under = await gateway({ plugins: [answering(said).plugin, engine('found').plugin, webSearch({})] })
    const { response } = await ask(under, { model: 'acme/m', tools, stream })
    t.same(quotes(response), ['https://example.com/a', 'https://example.com/a', 'https://docs.example.com/b'])
    t.equal(partsOf(response).length, 4)
    await under.stop()
  }
})

t.test('a conversation that goes on still knows what was found', async t => {
  const acme = witness('acme', (_, count) =>
    count === 1
      ? [...calling('managed_web_search', { query: 'a' }), toCall]
      : count === 2
        ? [text('found'), stop]
        : [text('It was https://docs.example.com/b'), stop],
  )
  const under = await gateway({
    plugins: [acme.plugin, engine('found').plugin, webSearch({})],
    key: { policy: { logging: { value: true } } },
  })
  t.teardown(under.stop)
  const first = await ask(under, { model: 'acme/m', tools })
  t.same(quotes(first.response), [])
  const next = { model: 'acme/m', tools, input: 'Where was it?' }
  const chained = await ask(under, { ...next, previous_response_id: first.response.id })
  t.match(partsOf(chained.response)[0]!.annotations, [b])
  const whole = [{ role: 'user', content: 'hi' }, ...first.response.output, { role: 'user', content: 'Where was it?' }]
  const [part] = partsOf((await ask(under, { ...next, input: whole })).response)
  t.match(part!.annotations, [{ ...b, title: 'docs.example.com' }], 'sources have no titles')
  const stored = (await (await under.request(`/v1/responses/${chained.response.id}`)).json()) as CheckedResponse
  t.same(stored.output, chained.response.output)
  for (const action of [{ sources: 5 }, { sources: [null, {}, { url: 5 }, { url: 'nowhere' }] }, {}])
    t.equal(
      (
        await ask(under, {
          ...next,
          input: [
            { type: 'web_search_call', action },
            { role: 'user', content: 'x' },
          ],
        })
      ).status,
      200,
    )
})

t.test('offsets fit what the client sees, after guardrails changed the text', async t => {
  const acme = witness('acme', ({ request }, count) => {
    const [, placeholder = 'none'] = /(\[EMAIL_\d+\])/.exec(JSON.stringify(request.input)) ?? []
    return count === 1
      ? [...calling('managed_web_search', { query: 'a' }), toCall]
      : [
          text(`${placeholder} and `),
          text(placeholder.slice(0, 4)),
          text(`${placeholder.slice(4)}: https://exa`),
          text('mple.com/a.'),
          stop,
        ]
  })
  const restored = 'ada.lovelace@example.com and ada.lovelace@example.com: https://example.com/a.'
  const longer = guarding({ output: () => ({ push: said => said.replace(' and', ', and also'), flush: () => '' }) })
  const holding = guarding({ item: () => ({ pass: true }) })
  for (const stream of [false, true])
    for (const more of [[], [longer], [holding]]) {
      const under = await gateway({
        plugins: [acme.plugin, engine('found').plugin, webSearch({}), redaction({}), ...more],
        key: { policy: { redaction: { value: true }, logging: { value: true } } },
      })
      acme.calls.length = 0
      const { response } = await ask(under, { model: 'acme/m', tools, input: 'I am ada.lovelace@example.com', stream })
      t.equal(partsOf(response)[0]!.text, more[0] === longer ? restored.replace(' and', ', and also') : restored)
      t.same(quotes(response), ['https://example.com/a'])
      t.match(partsOf(response)[0]!.annotations, [a])
      await under.stop()
    }
})

t.test('text that a guardrail hides from a result is not in an annotation', async t => {
  const hiding = guarding({ output: () => ({ push: said => said.replaceAll('secret', '******'), flush: () => '' }) })
  const found = engine('found', () => [{ url: 'https://example.com/secret', title: 'The secret', text: 'x' }])
  const acme = answering([text('See https://example.com/secret')])
  const under = await gateway({ plugins: [acme.plugin, found.plugin, webSearch({}), hiding] })
  t.teardown(under.stop)
  const { response } = await ask(under, { model: 'acme/m', tools })
  t.notMatch(JSON.stringify(response), /secret/)
  t.match(partsOf(response)[0]!.annotations, [{ url: 'https://example.com/******', title: 'The ******' }])
})

t.test('answers without a search of the gateway have only the annotations of their provider', async t => {
  const page = { type: 'url', url: 'https://example.com/a' } as const
  const search = { type: 'search', key: 's', status: 'completed', action: { type: 'search', query: 'q', sources: [page] } } as const
  const acme = witness('acme', () => [search, text('See https://example.com/a '), stop], { capabilities: { webSearch: true } })
  const under = await gateway({ plugins: [acme.plugin, engine('found').plugin, webSearch({})] })
  t.teardown(under.stop)
  for (const input of [
    'hi',
    [
      { type: 'web_search_call', action: { type: 'search', sources: [page] } },
      { role: 'user', content: 'hi' },
    ],
  ])
    t.same(quotes((await ask(under, { model: 'acme/m', tools, input })).response), [])
})

t.test('annotations count towards the size of an answer', async t => {
  const many = Array.from({ length: 2_000 }, () => text('https://example.com/a '))
  const plugins = [answering(many).plugin, engine('found').plugin, webSearch({})]
  const under = await gateway({ plugins, settings: { maxAnswerBytes: 500_000 } })
  t.teardown(under.stop)
  t.equal((await ask(under, { model: 'acme/m', tools })).status, 424)
})
