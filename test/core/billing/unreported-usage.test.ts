import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import t from 'tap'
import { ProviderFailure, type CatalogEntry, type GenerationEvent } from '../../../core/index.ts'
import { TokenCounter } from '../../../core/kit.ts'
import type { TestGateway } from '../../../core/testing/index.ts'
import { gateway, saying, scripted } from '../../kit/gateway.ts'
import { ask, listing, providing, stop, text, usage } from '../../kit/stage.ts'

const price = { input: 1, output: 100 }
const input = 'ሰላም ለዓለም '.repeat(50)
const inputTokens = countTokens(input) + 7
/** Texts that have far more tokens than a quarter of their characters. */
const texts = {
  amharic: 'ኢትዮጵያ በአፍሪካ ቀንድ የምትገኝ ሀገር ናት። '.repeat(40),
  chinese: '中文的句子沒有空格，所以每個字都可能是一個詞元。'.repeat(40),
  hex: Array.from({ length: 100 }, (_, index) => ((index * 2_654_435_761) >>> 0).toString(16)).join(''),
  english: 'The quick brown fox jumps over the lazy dog. '.repeat(40),
}

function piecesOf(text: string, length = 7): readonly GenerationEvent[] {
  const characters = [...text]
  return Array.from({ length: Math.ceil(characters.length / length) }, (_, index) => ({
    type: 'text',
    text: characters.slice(index * length, (index + 1) * length).join(''),
  }))
}

function endpoint(more: object = {}): CatalogEntry {
  return { model: 'm', endpoints: [{ provider: 'acme', price, tokenizer: 'o200k_base', ...more }] }
}

/** A provider that says all this, and then waits until it is aborted. */
function endless(events: readonly GenerationEvent[]) {
  const isSaid = Promise.withResolvers<void>()
  const plugin = scripted('acme', async function* ({ signal }) {
    yield* events
    isSaid.resolve()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }))
  })
  return { plugin, isSaid: isSaid.promise }
}

interface Left {
  readonly id: string
  /** Nothing is left under the cap, or less than was asked for. The providers here do not heed that. */
  readonly isFull: boolean
}

/** Asks for a stream, and leaves once everything from the provider has arrived. Returns what arrived. */
async function leave(under: TestGateway, wanted: string, body: object = {}): Promise<Left & { received: string }> {
  const reply = await under.request('/v1/responses', { body: { model: 'm', input, stream: true, ...body } })
  const isFull = reply.headers.get('x-gateway-warnings')?.includes('spend cap') ?? reply.status !== 200
  const id = reply.headers.get('x-request-id')!
  let rest = ''
  let received = ''
  for await (const chunk of reply.body!.pipeThrough(new TextDecoderStream())) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) {
      if (!line.startsWith('data: ')) continue
      const event = JSON.parse(line.slice(6)) as { readonly type: string; readonly delta?: string }
      if (event.type === 'response.output_text.delta') received += event.delta
    }
    // Leaving the loop cancels the body.
    if (received.length >= wanted.length) break
  }
  return { id, isFull, received }
}

t.test('a client that leaves a stream just before its end pays for the tokens that arrived', async t => {
  for (const [language, said] of Object.entries(texts)) {
    const under = await gateway({ plugins: [endless(piecesOf(said)).plugin, listing(endpoint())] })
    const { id, received } = await leave(under, said)
    const record = await under.record(id)
    t.equal(record.status, 499)
    t.match(record.usage, { output: countTokens(received), uncachedInput: inputTokens, estimated: true }, language)
    t.equal(record.costUsd, (inputTokens * price.input + countTokens(said) * price.output) / 1e6)
    await under.stop()
  }
})

t.test('an unknown tokenizer adds half, the limit of the request ends it, and reports are the least', async t => {
  const said = texts.chinese
  const tokens = countTokens(said)
  const counted = (found: number): number => Math.ceil(found * 1.5)
  const half = piecesOf(said).length / 2
  const begun = [...piecesOf(said).slice(0, half), usage(900, 700), ...piecesOf(said).slice(half)]
  const rest = countTokens(
    piecesOf(said)
      .slice(half)
      .map(event => (event as { text: string }).text)
      .join(''),
  )
  for (const [more, body, events, uncachedInput, output] of [
    [{ tokenizer: undefined }, {}, piecesOf(said), Math.min(counted(inputTokens - 7), Buffer.byteLength(input)) + 7, counted(tokens)],
    [{ tokenizer: undefined, contextWindow: inputTokens }, {}, piecesOf(said), inputTokens, counted(tokens)],
    [{}, { max_output_tokens: 50 }, piecesOf(said), inputTokens, 50],
    [{ maxOutputTokens: 60 }, {}, piecesOf(said), inputTokens, 60],
    [{ maxOutputTokens: 60 }, { max_output_tokens: 100 }, piecesOf(said), inputTokens, 60],
    [{}, {}, [usage(900, 1), ...piecesOf(said)], 900, 1 + tokens],
    [{}, {}, begun, 900, 700 + rest],
    [{ tokenizer: undefined }, {}, [...piecesOf(said), usage(900, 700)], 900, 700],
    [{ maxOutputTokens: 60 }, {}, [...piecesOf(said), usage(900, 700)], 900, 60],
    [{}, { max_output_tokens: 50 }, [...piecesOf(said), usage(900, 1e9)], 900, 50],
    [{ maxOutputTokens: 60 }, {}, [usage(900, 1e9), ...piecesOf(said)], 900, 60],
    [{ contextWindow: 4_000 }, {}, [usage(900, 1e9), ...piecesOf(said)], 900, 4_000 + tokens],
    [{}, {}, [{ type: 'reasoning', form: 'full', text: said }, ...piecesOf(said)], inputTokens, 2 * tokens],
  ] as readonly (readonly [object, object, readonly GenerationEvent[], number, number])[]) {
    const under = await gateway({ plugins: [endless(events).plugin, listing(endpoint(more))] })
    const { id } = await leave(under, said, body)
    const record = await under.record(id)
    t.match(record.usage, { uncachedInput, output }, JSON.stringify([more, body]))
    await under.stop()
  }
})

t.test('a stream that the vendor cuts, or that fails, is charged for what came, and says so', async t => {
  const said = texts.amharic
  const failing: readonly [name: string, end: () => void][] = [
    ['cut', () => {}],
    [
      'failed',
      () => {
        throw new ProviderFailure({ kind: 'overloaded', message: 'too much' })
      },
    ],
  ]
  for (const [name, end] of failing) {
    const acme = scripted('acme', async function* () {
      yield* piecesOf(said)
      end()
    })
    const under = await gateway({ plugins: [acme, listing(endpoint())], key: { name: 'k', spendCapUsd: 1 } })
    const { response, requestId } = await ask(under, { model: 'm', input, stream: true })
    t.match(response, { status: 'failed', usage: { input_tokens: inputTokens, output_tokens: countTokens(said) } }, name)
    const { costUsd, usage } = await under.record(requestId)
    t.equal(costUsd, (inputTokens * price.input + countTokens(said) * price.output) / 1e6)
    t.equal(usage!.estimated, true)
    await under.stop()
  }
})

for (const spendCapUsd of [0.12, 1_000])
  for (const way of ['caller', 'gateway'] as const)
    t.test(`a plain call under a cap of ${spendCapUsd} USD that the ${way} ends is charged for what came`, async t => {
      const said = texts.english
      const { plugin, isSaid } = endless([usage(inputTokens, 1), ...piecesOf(said)])
      const listed = listing(endpoint({ maxOutputTokens: 4_000, capabilities: { efforts: [] } }))
      const under = await gateway({ plugins: [plugin, listed], key: { name: 'k', spendCapUsd } })
      t.teardown(under.stop)
      const leaving = new AbortController()
      const asking = under.request('/v1/responses', { body: { model: 'm', input }, signal: leaving.signal }).catch(() => undefined)
      await isSaid
      await new Promise(setImmediate)
      if (way === 'caller') leaving.abort()
      else under.gateway.abortRuns()
      const reply = await asking
      if (way === 'gateway') t.equal(reply!.status, 503)
      const [record] = await under.recorded(1)
      t.equal(record!.status, way === 'caller' ? 499 : 503)
      const output = 1 + countTokens(said)
      t.match(record!.usage, { uncachedInput: inputTokens, output, estimated: true })
      t.equal(record!.costUsd, (inputTokens * price.input + output * price.output) / 1e6)
    })

t.test('a stream that the end of the gateway ends is charged', async t => {
  const { plugin, isSaid } = endless(piecesOf(texts.hex))
  const under = await gateway({ plugins: [plugin, listing(endpoint())] })
  t.teardown(under.stop)
  const asking = ask(under, { model: 'm', input, stream: true })
  await isSaid
  under.gateway.abortRuns()
  const { response, requestId } = await asking
  t.match(response, { status: 'failed', usage: { output_tokens: countTokens(texts.hex) } })
  t.match(await under.record(requestId), { usage: { uncachedInput: inputTokens, output: countTokens(texts.hex) } })
})

async function whole(under: TestGateway, body: object): Promise<Left> {
  const { status, requestId, headers } = await ask(under, { model: 'm', ...body })
  return { id: requestId, isFull: headers.get('x-gateway-warnings')?.includes('spend cap') ?? status !== 200 }
}

t.test('a cap holds against streams that are left, and whole answers without usage', async t => {
  const said = texts.amharic
  const capUsd = 0.5
  for (const ending of ['left', 'whole']) {
    const acme = ending === 'left' ? endless(piecesOf(said)).plugin : saying('acme', [...piecesOf(said), stop])
    const under = await gateway({
      plugins: [acme, listing(endpoint({ maxOutputTokens: 2_000 }))],
      key: { name: 'k', spendCapUsd: capUsd },
    })
    const outputTokens = countTokens(said)
    const asked = { input, max_output_tokens: outputTokens }
    let receivedUsd = 0
    for (;;) {
      const { isFull, id } = ending === 'left' ? await leave(under, said, asked) : await whole(under, asked)
      if (isFull) break
      receivedUsd += (outputTokens * price.output) / 1e6
      await under.record(id)
    }
    t.ok(receivedUsd > capUsd * 0.8 && receivedUsd <= capUsd, `${receivedUsd} USD came, ${ending}`)
    await under.stop()
  }
})

t.test('of very long texts, a sample counts', async t => {
  const said = texts.english.repeat(200) + texts.amharic.repeat(200)
  t.ok(said.length > 500_000)
  const under = await gateway({ plugins: [endless(piecesOf(said, 10_000)).plugin, listing(endpoint())] })
  t.teardown(under.stop)
  const { id } = await leave(under, said)
  const { usage } = await under.record(id)
  const tokens = countTokens(texts.english) * 200 + countTokens(texts.amharic) * 200
  t.ok(Math.abs(usage!.output / tokens - 1) < 0.05, `${usage!.output} of ${tokens}`)
})

t.test('if nothing can be counted, the bytes count', async t => {
  const counters: readonly TokenCounter[] = [
    { count: async () => undefined },
    {
      count() {
        throw new Error('out of order')
      },
    },
  ]
  for (const counter of counters) {
    const under = await gateway({
      plugins: [endless([text('中文')]).plugin, listing(endpoint()), providing(TokenCounter, counter)],
      settings: { logLevel: 'silent' },
    })
    const { id } = await leave(under, '中文', { input: 'hé' })
    t.match(await under.record(id), { usage: { uncachedInput: 3 + 7, output: 6, estimated: true } })
    await under.stop()
  }
})

t.test('no text has more tokens than bytes, whatever the margin adds', async t => {
  const dense = '\ue000\ue100\ue200'.repeat(2_000)
  t.ok(countTokens(dense) * 1.5 > Buffer.byteLength(dense))
  const under = await gateway({
    plugins: [saying('acme', [text('hello'), stop]), listing(endpoint({ tokenizer: undefined }))],
    key: { name: 'k', spendCapUsd: 0.0201 },
  })
  t.teardown(under.stop)
  const { requestId } = await ask(under, { model: 'm', input: dense, max_output_tokens: 16 })
  const { usage, costUsd } = await under.record(requestId)
  t.match(usage, { uncachedInput: Buffer.byteLength(dense) + 7, output: 2 })
  t.ok(costUsd! <= 0.0201)
})

t.test('a report before the first word does not count the answer', async t => {
  const under = await gateway({ plugins: [saying('acme', [usage(9, 1), ...piecesOf(texts.hex), stop]), listing(endpoint())] })
  t.teardown(under.stop)
  const { requestId } = await ask(under, { model: 'm', stream: true })
  t.match((await under.record(requestId)).usage, { uncachedInput: 9, output: countTokens(texts.hex), estimated: true })
})

t.test('a later report of less does not make a cut answer cheaper', async t => {
  const plugin = scripted('acme', async function* () {
    yield text('Hello')
    yield usage(9, 300)
    yield text(' world')
    yield usage(9, 2)
    yield text('!')
    throw new ProviderFailure({ kind: 'network', message: 'The connection broke.' })
  })
  const under = await gateway({ plugins: [plugin, listing(endpoint())] })
  t.teardown(under.stop)
  const { requestId } = await ask(under, { model: 'm', stream: true })
  t.match((await under.record(requestId)).usage, { uncachedInput: 9, output: 301, estimated: true })
})

t.test('a report after the words counts all of them, one before them only if it may be of all', async t => {
  const rules = `${'-'.repeat(64)}\n`.repeat(50)
  const replies: readonly (readonly [events: readonly GenerationEvent[], output: number])[] = [
    [[text(rules), usage(9, 100)], 100],
    [[usage(9, 500), text(rules)], 500],
    [[usage(9, 1), text(texts.hex)], countTokens(texts.hex)],
  ]
  for (const [events, output] of replies)
    for (const stream of [true, false]) {
      const under = await gateway({ plugins: [saying('acme', [...events, stop]), listing(endpoint())] })
      const { requestId } = await ask(under, { model: 'm', stream })
      t.strictSame((await under.record(requestId)).usage?.output, output, `stream: ${stream}`)
      await under.stop()
    }
})
