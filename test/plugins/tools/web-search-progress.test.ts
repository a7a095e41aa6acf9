import t from 'tap'
import { checkStream, type CheckedResponse } from '../../../core/testing/index.ts'
import webSearch from '../../../plugins/tools/web-search/index.ts'
import redaction from '../../../plugins/guardrails/redaction/index.ts'
import { gateway, type GatewayUnderTest } from '../../kit/gateway.ts'
import { broken, engine, pages, searching } from '../../kit/search-stage.ts'
import { guarding, stop, text, witness } from '../../kit/stage.ts'
import { calling, toCall } from '../../kit/tool-stage.ts'

const tools = [{ type: 'web_search' }]

interface StreamEvent {
  readonly type: string
  readonly output_index: number
  readonly item: { readonly id: string; readonly type: string; readonly status: string; readonly action: { readonly query: string } }
}

interface Stream {
  /** Reads on until there is such an event, and returns it. */
  until(type: string, itemType?: string): Promise<StreamEvent>
  rest(): Promise<CheckedResponse>
  readonly events: readonly StreamEvent[]
}

async function streamed(under: GatewayUnderTest, body: object): Promise<Stream> {
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', tools, stream: true, ...body } })
  const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
  let whole = ''
  const events: StreamEvent[] = []
  const more = async (): Promise<boolean> => {
    const { value, done } = await reader.read()
    whole += value ?? ''
    events.splice(0, Infinity, ...[...whole.matchAll(/^data: (.*)\n\n/gm)].map(([, data]) => JSON.parse(data!) as StreamEvent))
    return !done
  }
  return {
    events,
    async until(type, itemType) {
      for (;;) {
        const found = events.find(event => event.type === type && (!itemType || event.item.type === itemType))
        if (found) return found
        if (!(await more())) throw new Error(`There is no ${type}.`)
      }
    },
    async rest() {
      while (await more());
      return checkStream(whole).response
    },
  }
}

t.test('a search is shown with its query before an engine has answered', async t => {
  const answer = Promise.withResolvers<typeof pages>()
  const under = await gateway({
    plugins: [searching('acme', ['what is a']).plugin, engine('found', () => answer.promise).plugin, webSearch({})],
  })
  t.teardown(under.stop)
  const stream = await streamed(under, {})
  const { item, output_index } = await stream.until('response.output_item.added')
  t.match(item, { type: 'web_search_call', id: /^ws_/, status: 'in_progress', action: { type: 'search', query: 'what is a', sources: [] } })
  t.notOk(stream.events.some(({ type }) => type === 'response.output_item.done'))
  answer.resolve(pages)
  const done = await stream.until('response.output_item.done')
  t.match(done, {
    output_index,
    item: { id: item.id, status: 'completed', action: { query: 'what is a', sources: [{ type: 'url' }, {}] } },
  })
  const response = await stream.rest()
  t.strictSame(response.output[0], done.item)
  t.notOk(stream.events.some(({ type }) => type.startsWith('response.web_search_call')))
})

t.test('parallel searches are shown one after another, in their order', async t => {
  const answers = new Map(['one', 'two', 'three'].map(query => [query, Promise.withResolvers<typeof pages>()]))
  const acme = witness('acme', (_, count) =>
    count === 1
      ? [...[...answers.keys()].flatMap((query, index) => calling('managed_web_search', { query }, `k${index}`)), toCall]
      : [text('done'), stop],
  )
  const found = engine('found', ({ query }) => answers.get(query)!.promise)
  const under = await gateway({ plugins: [acme.plugin, found.plugin, webSearch({})] })
  t.teardown(under.stop)
  const stream = await streamed(under, {})
  t.equal((await stream.until('response.output_item.added')).item.action.query, 'one')
  while (found.asked.length < 3) await new Promise(setImmediate)
  answers.get('three')!.resolve(pages)
  answers.get('two')!.reject(new Error('down'))
  await new Promise(setImmediate)
  t.equal(stream.events.filter(({ type }) => type.startsWith('response.output_item')).length, 1, 'items do not interleave')
  answers.get('one')!.resolve(pages)
  const { output } = await stream.rest()
  t.match(output, [
    { status: 'completed', action: { query: 'one' } },
    { status: 'failed', action: { query: 'two' } },
    { status: 'completed', action: { query: 'three' } },
    { type: 'message' },
  ])
})

t.test('a search that fails, takes too long or is not asked for ends as such', async t => {
  const late = engine('late', (_, { signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))))
  for (const { plugin } of [engine('down', broken()), late]) {
    const under = await gateway({ plugins: [searching('acme', ['a']).plugin, plugin, webSearch({ timeoutMs: 20 })] })
    const stream = await streamed(under, {})
    t.equal((await stream.until('response.output_item.added')).item.status, 'in_progress')
    t.match((await stream.rest()).output, [{ type: 'web_search_call', status: 'failed', action: { query: 'a' } }, { type: 'message' }])
    await under.stop()
  }
  const under = await gateway({ plugins: [searching('acme', [' ']).plugin, engine('found').plugin, webSearch({})] })
  t.teardown(under.stop)
  t.match((await (await streamed(under, {})).rest()).output, [{ type: 'message' }], 'a call without a query shows nothing')
})

t.test('a client that leaves while an engine searches ends the search', async t => {
  const left = Promise.withResolvers<void>()
  const waits = engine(
    'waits',
    (_, { signal }) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          left.resolve()
          reject(signal.reason)
        }),
      ),
  )
  const under = await gateway({ plugins: [searching('acme', ['a']).plugin, waits.plugin, webSearch({})] })
  t.teardown(under.stop)
  const reply = await under.request('/v1/responses', { body: { model: 'acme/m', input: 'hi', tools, stream: true } })
  const reader = reply.body!.getReader()
  await reader.read()
  while (waits.asked.length === 0) await new Promise(setImmediate)
  await reader.cancel()
  await left.promise
  t.match(await under.record(reply.headers.get('x-request-id')!), { status: 499 })
})

t.test('guardrails see the query and the sources of a search', async t => {
  const seen: unknown[] = []
  const checking = guarding({
    async item(item) {
      seen.push(item)
      return { pass: true }
    },
  })
  const restoring = redaction({})
  for (const guard of [checking, restoring]) {
    const acme = witness('acme', ({ request }, count) => {
      const [, placeholder = 'ada@example.com'] = /(\[EMAIL_\d+\])/.exec(JSON.stringify(request.input)) ?? []
      return count === 1 ? [...calling('managed_web_search', { query: `who is ${placeholder}` }), toCall] : [text('done'), stop]
    })
    const under = await gateway({
      plugins: [acme.plugin, engine('found').plugin, webSearch({}), guard],
      ...(guard === restoring && { key: { policy: { redaction: { value: true } } } }),
    })
    const stream = await streamed(under, { input: 'I am ada@example.com' })
    t.equal((await stream.until('response.output_item.added', 'web_search_call')).item.action.query, 'who is ada@example.com')
    const { output } = await stream.rest()
    t.match(output[0], {
      status: 'completed',
      action: { query: 'who is ada@example.com', sources: [{ url: 'https://example.com/a' }, {}] },
    })
    await under.stop()
  }
  t.match(seen[1], { kind: 'search', texts: [{ path: 'action.query', text: 'who is ada@example.com' }, { text: 'https://example.com/a' }] })
  t.equal(seen.length, 3, 'the call, the search and the message, each once and as a whole')
})
