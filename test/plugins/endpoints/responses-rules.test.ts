import t from 'tap'
import { foreignToolTypes } from '../../../core/contracts/tools.ts'
import { GatewayError } from '../../../core/index.ts'
import { foreignItemTypes } from '../../../core/kit.ts'
import { parseRequest } from '../../../plugins/endpoints/responses/parse.ts'
import { ask, stop, text, witness } from '../../kit/stage.ts'
import { gateway, hello, saying } from '../../kit/gateway.ts'
import { accepted, large, refused } from './request-rules.ts'

const hi = { model: 'acme/m', input: 'hi' }
const copy = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

function refusal(body: object): GatewayError {
  try {
    parseRequest(copy(body))
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error(`${JSON.stringify(body).slice(0, 200)} was accepted`)
}

t.test('a request within the rules is accepted', t => {
  for (const [rule, body] of accepted) t.doesNotThrow(() => parseRequest(copy(body)), rule)
  t.end()
})

t.test('a request against the rules is a 400 that names the field by its path', t => {
  for (const { rule, body, param, code = 'invalid_value' } of refused) {
    const error = refusal(body)
    t.same([error.status, error.type, error.code, error.param], [400, 'invalid_request_error', code, param], `${rule}: ${error.message}`)
  }
  t.end()
})

t.test('texts are taken up to their limit, in characters', t => {
  for (const { rule, body, param } of large) {
    if (param === undefined) t.doesNotThrow(() => parseRequest(copy(body)), rule)
    else t.match(refusal(body), { status: 400, param }, rule)
  }
  t.end()
})

t.test('no null is left where a member is optional', t => {
  const nulls = (value: unknown, path: string): readonly string[] => {
    if (value === null) return [path]
    // A schema is the caller's own.
    if (typeof value !== 'object' || path.endsWith('.schema') || path.endsWith('.parameters')) return []
    return Object.entries(value).flatMap(([name, member]) => nulls(member, `${path}.${name}`))
  }
  for (const [rule, body] of accepted) {
    const { extra: _, ...request } = parseRequest(copy(body)).body
    t.same(
      nulls(request, '').filter(path => path !== '.reasoning.context'),
      [],
      rule,
    )
  }
  const format = { type: 'json_schema', name: 'n', schema: { default: null } }
  t.same(copy(parseRequest(copy({ ...hi, text: { format } })).body).text?.format, format, 'a null in a schema is meant')
  t.end()
})

t.test('errors say what was expected', t => {
  const part = (content: object): object => ({ ...hi, input: [{ role: 'user', content: [content] }] })
  const types = (body: object) => Array.from(refusal(body).message.matchAll(/'(\w+)'/g), ([, type]) => type)
  const tools = ['function', 'custom', 'namespace', 'web_search', ...foreignToolTypes]
  t.same(types({ ...hi, tools: [{ type: 'a hammer' }] }), tools, 'the known tools')
  for (const type of foreignItemTypes) t.ok(types({ ...hi, input: [{ type: 'a telegram' }] }).includes(type))
  t.match(refusal(part({ type: 'input_image' })).message, /one of 'image_url', 'file_id', but got none/)
  t.match(
    refusal(part({ type: 'input_file', file_data: 'x', file_id: 'f' })).message,
    /exactly one of 'file_data', 'file_url', 'file_id', but got 'file_data', 'file_id'/,
  )
  t.match(refusal({ ...hi, metadata: { ['k'.repeat(65)]: 'v' } }).message, /a key must NOT have more than 64 characters/)
  t.match(refusal({ ...hi, conversation: 5 }).message, /expected a string or an object, but got 5/)
  t.match(refusal({ ...hi, temperature: 'hot' }).message, /expected a number, but got 'hot'/)
  t.match(refusal({ ...hi, input: [{ role: 'king', content: '' }] }).message, /'user', 'system', 'developer', 'assistant', but got 'king'/)
  const { input: _, ...inputless } = hi
  for (const body of [
    inputless,
    { ...hi, input: null },
    { ...hi, input: '' },
    { ...hi, input: [] },
    { ...inputless, prompt: { id: 'p' } },
  ]) {
    const { status, param, message } = refusal(body)
    t.match({ status, param, message }, { status: 400, param: 'input', message: /Send a string, or a list with at least one item\./ })
  }
  t.match(refusal({ ...inputless, previous_response_id: 'resp_1' }).message, /previous_response_id brings the conversation so far/)
  t.notMatch(refusal({ ...hi, service_tier: 'secret '.repeat(20) }).message, 'secret', 'a long value is not repeated')
  t.end()
})

t.test('audio is a file, to the provider as well', async t => {
  const acme = witness('acme', () => hello)
  const under = await gateway({ plugins: [acme.plugin] })
  t.teardown(under.stop)
  const part = { type: 'input_file', filename: 'a.mp3', file_data: 'data:audio/mpeg;base64,SUQz' }
  t.equal((await ask(under, { ...hi, input: [{ role: 'user', content: [part] }] })).status, 200)
  t.same(copy(acme.calls[0]!.request.input), [{ type: 'message', role: 'user', content: [part] }])
})

t.test('options of the prompt cache are echoed with both members', async t => {
  const under = await gateway({ plugins: [saying('acme', hello)] })
  t.teardown(under.stop)
  const echoed = async (prompt_cache_options: object | undefined) =>
    (await ask(under, { ...hi, prompt_cache_options })).response['prompt_cache_options']
  t.equal(await echoed(undefined), null)
  t.same(await echoed({ ttl: '12h' }), { mode: 'implicit', ttl: '12h' })
  t.same(await echoed({ mode: 'explicit', ttl: null }), { mode: 'explicit', ttl: '30m' })
})

t.test('a call id that no client could send back becomes one of ours', async t => {
  const long = 'x'.repeat(65)
  const under = await gateway({
    plugins: [
      saying('acme', [
        text('a'),
        { type: 'tool-call', key: '1', callId: long, name: 'f' },
        { type: 'tool-input', key: '1', text: '{}' },
        stop,
      ]),
    ],
  })
  t.teardown(under.stop)
  for (const stream of [true, false]) {
    const { output } = (await ask(under, { ...hi, stream })).response
    t.match(output[1], { type: 'function_call', call_id: /^call_.{1,59}$/ })
    const replayed = [...output, { type: 'function_call_output', call_id: output[1]!['call_id'], output: 'done' }]
    t.equal((await ask(under, { ...hi, input: replayed })).status, 200)
  }
})
