import OpenAI from 'openai'
import t from 'tap'
import { ask, listing } from '../../kit/stage.ts'
import { gateway, hello, listeningGateway, saying } from '../../kit/gateway.ts'
import { png, read, send } from './reading.ts'

const hi = { model: 'acme/m', input: 'hi' }

t.test('the items of an input are listed page by page, each under an id', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const single = (await ask(under, hi)).response
  t.match((await read(under, `/${single.id}/input_items`)).body, {
    object: 'list',
    data: [{ type: 'message', id: /^msg_./, status: 'completed', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }],
    first_id: /^msg_./,
    last_id: /^msg_./,
    has_more: false,
  })

  const input = Array.from({ length: 45 }, (_, index) => ({ role: 'user', id: `msg_${index}`, content: `${index}` }))
  const { response } = await ask(under, { ...hi, input })
  const page = async (query: string) => {
    const { data, first_id, last_id, has_more } = (await read(under, `/${response.id}/input_items?${query}`)).body
    t.same([first_id, last_id], [data[0]?.id ?? null, data.at(-1)?.id ?? null])
    return [data.map(({ id }: { id: string }) => Number(id.slice(4))), has_more]
  }
  const range = (from: number, to: number) =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, index) => (from < to ? from + index : from - index))
  t.same(await page(''), [range(44, 25), true], 'twenty, the newest first')
  t.same(await page('after=msg_25'), [range(24, 5), true])
  t.same(await page('after=msg_5&limit=5'), [range(4, 0), false])
  t.same(await page('after=msg_0'), [[], false])
  t.same(await page('limit=100&order=asc'), [range(0, 44), false])
  t.same(await page('limit=2&order=asc&after=msg_3'), [range(4, 5), true])
  t.same(await page('limit=2&order=asc&before=msg_4'), [range(2, 3), true], 'the page before')
  t.same(await page('limit=10&order=asc&before=msg_4'), [range(0, 3), false])
  t.same(await page('limit=2&before=msg_40'), [range(42, 41), true])
  t.same(await page('order=asc&after=msg_2&before=msg_6'), [range(3, 5), false])
  t.same(await page('order=asc&after=msg_6&before=msg_2'), [[], false])

  const chained = (await ask(under, { ...hi, previous_response_id: single.id, input: [{ role: 'user', content: 'and now' }] })).response
  const listed = (await read(under, `/${chained.id}/input_items/`)).body['data']
  t.equal(listed.length, 1, 'what this request brought')
  t.match(listed[0], { content: [{ text: 'and now' }] })
  const referred = await ask(under, { ...hi, input: [{ id: listed[0].id }] })
  t.equal(referred.status, 200, 'a listed id can be referred to')
})

t.test('addresses of images are listed only where they are included', async t => {
  const under = await gateway({ plugins: [saying('acme', hello, { capabilities: { builtInTools: true } })] })
  t.teardown(under.stop)
  const input = [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: png, detail: 'low' },
      ],
    },
    { type: 'computer_call_output', id: 'cco_1', call_id: 'c', output: { type: 'computer_screenshot', image_url: png, file_id: 'f' } },
    { type: 'reasoning', id: 'rs_1', summary: [] },
  ]
  const { response } = await ask(under, { ...hi, input })
  const list = async (query: string) => (await read(under, `/${response.id}/input_items?order=asc&${query}`)).body['data']
  const bare = await list('')
  t.same(bare[0].content[1], { type: 'input_image', detail: 'low' })
  t.same(bare[1].output, { type: 'computer_screenshot', file_id: 'f' })
  const image = await list('include[]=message.input_image.image_url')
  t.same(image[0].content[1], { type: 'input_image', image_url: png, detail: 'low' })
  t.notOk('image_url' in image[1].output)
  t.equal((await list('include[]=computer_call_output.output.image_url'))[1].output.image_url, png)
})

t.test('an input is counted as a model would count it, without asking one', async t => {
  const model = { model: 'm', endpoints: [{ provider: 'acme', tokenizer: 'o200k_base' as const }] }
  const under = await gateway({
    plugins: [listing(model), saying('acme', hello)],
    key: { name: 'test', policy: { logging: { value: true } }, providers: ['acme'] },
  })
  t.teardown(under.stop)
  const count = (body: object, slash = '') => send(under, 'POST', `/input_tokens${slash}`, { body })
  const short = await count({ model: 'm', input: 'hello world' })
  t.equal(short.status, 200)
  t.same(Object.keys(short.body), ['object', 'input_tokens'])
  t.equal(short.body['object'], 'response.input_tokens')
  t.ok(Number.isInteger(short.body['input_tokens']) && short.body['input_tokens'] >= 2, `${short.body['input_tokens']} tokens`)
  t.equal(short.headers.get('x-gateway-warnings'), null, 'an exact count')
  const long = await count({ model: 'm', input: 'hello world '.repeat(100), stream: true, instructions: 'Be brief.' }, '/')
  t.equal(long.headers.get('content-type'), 'application/json', 'stream is ignored')
  t.ok(long.body['input_tokens'] >= 200)
  const guessed = await count({ model: 'acme/other', input: 'hello world' })
  t.equal(guessed.status, 200)
  t.match(guessed.headers.get('x-gateway-warnings'), /^input_tokens: estimated/)
  const { response } = await ask(under, { model: 'm', input: 'hello world '.repeat(100) })
  const chained = await count({ model: 'm', input: 'hello world', previous_response_id: response.id })
  t.ok(chained.body['input_tokens'] >= 200, 'what was said before counts')
  t.match(await under.record(short.requestId), {
    status: 200,
    path: '/v1/responses/input_tokens',
    attempts: [],
    usage: null,
    costUsd: null,
  })

  const refused = async (body: object, status: number, param: string): Promise<void> => {
    const reply = await count(body)
    t.same([reply.status, reply.body['error'].param], [status, param])
  }
  await refused({ input: 'hi' }, 400, 'model')
  await refused({ model: 'm' }, 400, 'input')
  await refused({ model: 'm', input: 'hi', temperature: 3 }, 400, 'temperature')
  await refused({ model: 'nobody', input: 'hi' }, 400, 'model')
  await refused({ model: 'm', input: 'hi', previous_response_id: 'resp_1' }, 400, 'previous_response_id')
  await refused({ model: 'sandbox/echo', input: 'hi' }, 403, 'model')
})

t.test('the openai SDK reads, pages, counts, cancels and deletes', async t => {
  const under = await listeningGateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const client = new OpenAI({ apiKey: under.apiKey, baseURL: `${under.url}/v1`, maxRetries: 0 })
  const input = Array.from({ length: 45 }, (_, index) => ({ role: 'user' as const, content: `${index}` }))
  const made = await client.responses.create({ model: 'acme/m', input })
  const include: OpenAI.Responses.ResponseIncludable[] = ['reasoning.encrypted_content', 'message.input_image.image_url']
  t.same(await client.responses.retrieve(made.id, { include }), made)
  const texts: string[] = []
  for await (const item of client.responses.inputItems.list(made.id, { include, limit: 20 })) {
    const [part] = item.type === 'message' ? item.content : []
    if (part?.type === 'input_text') texts.push(part.text)
  }
  t.same(texts, input.map(({ content }) => content).toReversed(), 'all pages')
  const counted = await client.responses.inputTokens.count({ model: 'acme/m', input: 'hello' })
  t.ok(counted.input_tokens > 0)
  await t.rejects(client.responses.cancel(made.id), { status: 400, message: /Cannot cancel a synchronous response/ })
  await client.responses.delete(made.id)
  await t.rejects(client.responses.retrieve(made.id), { status: 404, code: 'not_found' })
})
