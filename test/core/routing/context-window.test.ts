import t from 'tap'
import { Routes, type CatalogEntry, type GenerationRequest, type ProviderFailure } from '../../../core/index.ts'
import { TokenCounter } from '../../../core/kit.ts'
import * as anthropic from '../../../dialects/messages/failure.ts'
import * as openaiChat from '../../../dialects/chat/failure.ts'
import * as openaiResponses from '../../../dialects/responses/failure.ts'
import { gateway } from '../../kit/gateway.ts'
import { recordedReply, recordings, recordingsAbsent } from '../../kit/recordings.ts'
import { adding, ask, listing, providing, said, stop, text, usage, witness } from '../../kit/stage.ts'

const settings = { logLevel: 'silent' } as const
/** One token each with its space, and five bytes. */
const words = (count: number): string => 'word '.repeat(count)

type Endpoint = CatalogEntry['endpoints'][number]

/** A gateway whose providers keep their calls. Each endpoint of the model `m` has its own provider. */
async function stage(endpoints: Readonly<Record<string, Omit<Endpoint, 'provider'>>>, counter?: TokenCounter) {
  const witnesses = Object.keys(endpoints).map(id => witness(id, () => [text(`from ${id}`), usage(1, 1), stop]))
  const listed = Object.entries(endpoints).map(([provider, facts]) => ({ provider, ...facts }))
  const plugins = [...witnesses.map(({ plugin }) => plugin), listing({ model: 'm', endpoints: listed })]
  if (counter) plugins.push(providing(TokenCounter, counter))
  const under = await gateway({ plugins, settings })
  t.teardown(under.stop)
  return { under, calls: () => witnesses.map(({ calls }) => calls.length) }
}

const exact = { contextWindow: 1_000, tokenizer: 'o200k_base' } as const

t.test('input larger than the window is refused before anybody is asked', async t => {
  const { under, calls } = await stage({ acme: exact })
  for (const more of [{}, { stream: true }, { truncation: 'auto' }, { truncation: 'disabled' }]) {
    const { status, error } = await ask(under, { model: 'm', input: words(1_100), ...more })
    t.equal(status, 400)
    t.match(error, { type: 'invalid_request_error', code: 'context_length_exceeded', param: 'input' })
    t.match(error.message, /At least 1\d{3} tokens are in the input.*window of "m" at "acme" is 1000\. Shorten the input/)
  }
  t.same(calls(), [0])
  const [record] = await under.recorded(1)
  t.match(record, { status: 400, errorCode: 'context_length_exceeded', attempts: [] })

  t.equal((await ask(under, { model: 'm', input: words(900) })).status, 200, '900 tokens of 4,500 bytes fit')
  t.same(calls(), [1])
})

t.test('everything that the model reads counts, and nothing else', async t => {
  const { under, calls } = await stage({ acme: exact })
  const long = words(1_100)
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' }
  const tool = { type: 'function', name: 'f', parameters: {} }
  const tooLong: readonly object[] = [
    { instructions: long },
    {
      input: [
        { role: 'assistant', content: [{ type: 'output_text', text: long }] },
        { role: 'user', content: 'hi' },
      ],
    },
    {
      input: [
        { ...call, arguments: JSON.stringify({ long }) },
        { type: 'function_call_output', call_id: 'c', output: 'x' },
      ],
    },
    { input: [call, { type: 'function_call_output', call_id: 'c', output: long }] },
    { input: [call, { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: long }] }] },
    { tools: [{ ...tool, description: long }] },
    { instructions: words(400), input: words(400), tools: [{ ...tool, description: words(400) }] },
  ]
  for (const body of tooLong) t.match((await ask(under, { model: 'm', ...body })).error, { code: 'context_length_exceeded' })
  t.same(calls(), [0])

  const data = Buffer.alloc(30_000, 7).toString('base64')
  const unknown: readonly object[] = [
    { input: [{ role: 'user', content: [{ type: 'input_image', image_url: `data:image/png;base64,${data}` }] }] },
    { input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a.pdf', file_data: data }] }] },
    {
      input: [
        { type: 'reasoning', summary: [{ type: 'summary_text', text: long }] },
        { role: 'user', content: 'hi' },
      ],
    },
    { tools: [{ ...tool, parameters: { type: 'object', properties: { a: { type: 'string', description: long } } } }] },
  ]
  for (const body of unknown) t.equal((await ask(under, { model: 'm', ...body })).status, 200)
})

t.test('history counts', async t => {
  const { under, calls } = await stage({ acme: exact })
  const first = await ask(under, { model: 'm', input: words(600) })
  t.equal(first.status, 200)
  const second = await ask(under, { model: 'm', input: words(600), previous_response_id: first.response.id })
  t.equal(second.status, 400)
  t.equal(second.error.code, 'context_length_exceeded')
  t.same(calls(), [1])
})

t.test('a model that is too small is passed over, and one whose window is unknown may be asked', async t => {
  const { under, calls } = await stage({ small: exact, large: { ...exact, contextWindow: 2_000 } })
  t.equal(said((await ask(under, { model: 'm', input: words(1_100) })).response), 'from large')
  t.equal(said((await ask(under, { model: 'm', input: words(900) })).response), 'from small')
  const { error } = await ask(under, { model: 'm', input: words(2_100) })
  t.match(error.message, /"m" at "large" is 2000/, 'the largest window is named')
  t.same(calls(), [1, 1])

  const beside = await stage({ small: exact, unknown: {} })
  t.equal(said((await ask(beside.under, { model: 'm', input: words(1_100) })).response), 'from unknown')
})

t.test('where another vocabulary stands in, only half as much again is certain', async t => {
  const { under, calls } = await stage({ acme: { contextWindow: 1_000 }, other: { contextWindow: 800, tokenizer: 'cl100k_base' } })
  t.equal(said((await ask(under, { model: 'm', input: words(1_400) })).response), 'from acme', 'the vendor decides')
  const { status, error } = await ask(under, { model: 'm', input: words(1_600) })
  t.equal(status, 400)
  t.match(error.message, /At least 1\d{3} tokens \(as o200k_base counts them\).*"acme" is 1000/)
  t.same(calls(), [1, 0])
})

t.test('input that fits by its bytes, or without a known window, is not counted; without a count the provider decides', async t => {
  const counted: (readonly string[])[] = []
  const silent: TokenCounter = { count: async texts => void counted.push(texts) }
  const { under, calls } = await stage({ acme: exact }, silent)
  t.equal((await ask(under, { model: 'm', input: 'x'.repeat(990) })).status, 200)
  t.equal((await ask(under, { model: 'm', input: '日'.repeat(333) })).status, 200)
  t.equal(counted.length, 0)
  t.equal((await ask(under, { model: 'm', input: '日'.repeat(334) })).status, 200, 'more bytes than tokens fit')
  t.same(counted, [['日'.repeat(334)]])
  t.same(calls(), [3])

  const unknown = await stage({ acme: {} }, silent)
  t.equal((await ask(unknown.under, { model: 'm', input: words(100_000) })).status, 200)
  t.equal(counted.length, 1)

  const limits: unknown[] = []
  const several = await stage(
    { a: exact, b: { contextWindow: 4_000 }, c: { contextWindow: 3_000, tokenizer: 'cl100k_base' }, d: { ...exact, contextWindow: 2_000 } },
    { count: async (_texts, options) => void limits.push(options) },
  )
  t.equal((await ask(several.under, { model: 'm', input: words(1_000) })).status, 200)
  t.same(
    limits,
    [
      { tokenizer: 'o200k_base', limit: 2_000 },
      { tokenizer: 'cl100k_base', limit: 3_000 },
    ],
    'once for each vocabulary; 5,000 bytes fit 1.5 times 4,000',
  )
})

t.test('the input of a request is counted for the model that would be asked first', async t => {
  const requests: GenerationRequest[] = []
  const counting = adding(Routes, {
    method: 'POST',
    path: '/count',
    auth: 'key',
    handle: async (exchange, services) => ({ status: 200, body: JSON.stringify(await services.countInput(exchange, requests.pop()!)) }),
  })
  const plugins = [witness('acme', () => [stop]).plugin, witness('other', () => [stop]).plugin, counting]
  const entries = [
    { model: 'known', endpoints: [{ provider: 'acme', tokenizer: 'o200k_base' as const }] },
    { model: 'unknown', endpoints: [{ provider: 'other' }] },
  ]
  const under = await gateway({ plugins: [...plugins, listing(...entries)], settings })
  t.teardown(under.stop)
  const count = async (request: Omit<GenerationRequest, 'model'>, model = 'known'): Promise<unknown> => {
    requests.push({ model, ...request })
    return await (await under.request('/count', { body: {} })).json()
  }
  const message = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }) as const
  // Seven tokens of text, to which a message adds four and a request three.
  const input = [message('What is the capital of France?')]
  t.same(await count({ input }), { tokens: 14, estimated: false })
  t.same(await count({ input, instructions: 'Be brief.' }), { tokens: 14 + 4 + 3, estimated: false })
  t.same(await count({ input }, 'unknown'), { tokens: 14, estimated: true })
  const image = { type: 'message', role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png' }] } as const
  t.same(await count({ input: [...input, image] }), { tokens: 18, estimated: true })
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object', properties: { a: { type: 'string' } } } }] as const
  const withTools = (await count({ input, tools })) as { readonly tokens: number; readonly estimated: boolean }
  t.ok(!withTools.estimated && withTools.tokens > 14 + 5 + 8 && withTools.tokens < 14 + 30, `${withTools.tokens} tokens with a tool`)
})

type Read = (status: number, headers: Readonly<Record<string, string | undefined>>, body: string) => ProviderFailure

const readers: Readonly<Record<string, Read>> = {
  messages: anthropic.failureFrom,
  chat: openaiChat.failureFrom,
  responses: openaiResponses.failureFrom,
}

/** However they put it. */
const overflow =
  /context.{0,20}(length|size|window)|(prompt|input|messages?).{0,30}too long|too[ _]many.{0,10}tokens|maximum (length|number of tokens)/i

t.test("vendors' own words for it are understood", { skip: recordingsAbsent }, async t => {
  let seen = 0
  for (const recording of recordings()) {
    const read = readers[recording.api]
    if (!read || recording.status !== 400) continue
    const reply = recordedReply(recording)
    const body = reply?.body.toString() ?? ''
    if (!overflow.test(body)) continue
    seen++
    t.match(read(recording.status, reply!.headers, body), { kind: 'context-length' }, recording.path)
  }
  t.ok(seen >= 5, `${seen} cases`)
})

t.test("so are the words of the vendors' published documentation and sources", async t => {
  const error = (message: string, more: object = {}): string =>
    JSON.stringify({ error: { message, type: 'invalid_request_error', ...more } })
  const told: Readonly<Record<string, readonly string[]>> = {
    responses: [
      error('Your input exceeds the context window of this model. Please adjust your input and try again.', {
        code: 'context_length_exceeded',
      }),
      error("This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
      error("This model's maximum context length is 32768 tokens. However, your request has 40000 input tokens."),
    ],
    chat: [
      error("This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.", {
        code: 'context_length_exceeded',
      }),
      error('the request exceeds the available context size. try increasing the context size', {
        type: 'exceed_context_size_error',
        code: 400,
      }),
      error('request (9000 tokens) exceeds the available context size (4096 tokens), try increasing it', {
        type: 'exceed_context_size_error',
      }),
      error('Please reduce the length of the messages or completion.', { code: 'context_length_exceeded' }),
      JSON.stringify({
        object: 'error',
        message: 'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
        type: 'invalid_request_prompt',
        code: '3051',
      }),
      error("This model's maximum prompt length is 131072 but the request contains 200000 tokens."),
      error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', { code: 400 }),
      error('Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 9000 `inputs` tokens'),
    ],
    messages: [
      error('prompt is too long: 210000 tokens > 200000 maximum'),
      error(
        'input length and `max_tokens` exceed context limit: 199000 + 21333 > 200000, decrease input length or `max_tokens` and try again',
      ),
    ],
  }
  for (const [api, bodies] of Object.entries(told))
    for (const body of bodies) t.equal(readers[api]!(400, {}, body).kind, 'context-length', `${api}: ${body}`)
})
