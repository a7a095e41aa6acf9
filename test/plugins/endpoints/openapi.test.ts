import { existsSync, readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import t, { type Test } from 'tap'
import { Routes, type GenerationEvent, type JsonObject, type Route } from '../../../core/index.ts'
import { checkStream, readEvents } from '../../../core/testing/index.ts'
import openapi from '../../../plugins/endpoints/openapi/index.ts'
import { adding, ask, listing, stop, text, usage } from '../../kit/stage.ts'
import { gateway, saying, type GatewayUnderTest } from '../../kit/gateway.ts'
import { clientRequests } from './client-requests.ts'
import { accepted, refused } from './request-rules.ts'

interface Operation {
  readonly operationId: string
  readonly security: readonly JsonObject[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean; readonly schema: JsonObject }[]
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: { readonly $ref: string } } } }
  readonly responses: Readonly<
    Record<
      string,
      { readonly description: string; readonly content?: Readonly<Record<string, { readonly schema: { readonly $ref: string } }>> }
    >
  >
}

interface Document extends JsonObject {
  readonly openapi: string
  readonly info: { readonly title: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonObject & { readonly required?: readonly string[]; readonly properties?: JsonObject }>>
  }
}

async function documentOf(under: GatewayUnderTest): Promise<Document> {
  return (await (await under.request('/openapi.json')).json()) as Document
}

/** Complains where a value is not what the document says of the schema of this name. */
function checker(document: Document): (name: string, value: unknown) => string | undefined {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false }).addVocabulary(['components'])
  ajv.addSchema({ $id: 'https://example.com/openapi.json', components: document.components }, undefined, undefined, false)
  return (name, value) => {
    const validate = ajv.getSchema(`https://example.com/openapi.json#/components/schemas/${name}`)!
    return validate(value) ? undefined : `${name}: ${ajv.errorsText(validate.errors)}`
  }
}

/** Everything that an answer can hold. */
const everything: readonly GenerationEvent[] = [
  { type: 'reasoning', text: 'Hm.', form: 'summary' },
  { type: 'reasoning', text: 'Hm!', form: 'full' },
  { type: 'reasoning-state', opaque: 'x' },
  { type: 'search', key: '1', status: 'completed', action: { type: 'search', query: 'q' }, results: [{ url: 'https://example.com/' }] },
  { type: 'search', key: '2', status: 'failed', action: { type: 'open_page' } },
  { type: 'search', key: '3', status: 'completed', action: { type: 'find_in_page', url: 'https://example.com/', pattern: 'x' } },
  {
    type: 'text',
    text: 'one',
    phase: 'commentary',
    logprobs: [{ token: 'one', logprob: -1, top_logprobs: [{ token: 'a', logprob: -2 }] }],
  },
  { type: 'annotation', citation: { type: 'url_citation', url: 'https://example.com/', title: '' }, start: 0, end: 3 },
  { type: 'annotation', citation: { type: 'file_citation', file_id: 'f', filename: 'a.txt', index: 1 }, start: 0, end: 3 },
  { type: 'refusal', text: 'no' },
  { type: 'tool-call', key: 'a', name: 'f', namespace: 'n' },
  { type: 'tool-input', key: 'a', text: '{}' },
  { type: 'tool-call', key: 'b', name: 'c', custom: true },
  { type: 'tool-input', key: 'b', text: 'x' },
  { type: 'compaction', opaque: 'x' },
  { type: 'item', item: { type: 'shell_call', status: 'completed', action: {} } },
  usage(3, 2),
]
const include = ['reasoning.encrypted_content', 'message.output_text.logprobs', 'web_search_call.results']
const hi = { model: 'acme/m', input: 'hi', include }

async function stage(t: Test, finish: GenerationEvent = stop): Promise<GatewayUnderTest> {
  const under = await gateway({
    plugins: [
      openapi({}),
      saying('acme', [...everything, finish]),
      saying('broken', [text('a')]),
      listing({
        model: 'm',
        endpoints: [{ provider: 'acme', price: { input: 1, output: 2 }, zdr: { policy_url: 'https://example.com/zdr' } }],
      }),
    ],
  })
  t.teardown(under.stop)
  return under
}

t.test('the description needs a key, is made once, and can be opened to everybody', async t => {
  const under = await stage(t)
  const keyless = await under.request('/openapi.json', { headers: { authorization: '' } })
  t.equal(keyless.status, 401)
  t.match(await keyless.json(), { error: { code: 'invalid_api_key' } })
  for (const path of ['/openapi.json', '/openapi.json/']) {
    const reply = await under.request(path)
    t.equal(reply.status, 200)
    t.equal(reply.headers.get('content-type'), 'application/json')
    t.match(await reply.json(), { openapi: /^3\.1\./, info: { title: 'Turnpike', version: '1.0.0' } })
  }
  t.match((await documentOf(under)).paths['/openapi.json']!['get'], { security: [{ apiKey: [] }], responses: { 401: {} } })

  const open = await gateway({ plugins: [openapi({ public: true })] })
  t.teardown(open.stop)
  const reply = await open.gateway.http.h3.request('/openapi.json')
  t.match(await reply.json(), { openapi: /^3\.1\./, paths: { '/openapi.json': { get: { security: [] } } } })
  await (await open.request('/v1/models')).text()
  t.match(await open.recorded(1), [{ path: '/v1/models' }], 'and leaves no record')
})

t.test('every route is in it, a route that nobody describes too', async t => {
  const plain: Route = { method: 'PATCH', path: '/v1/plain/:thing/**:rest', auth: 'key', handle: () => ({ status: 200 }) }
  const under = await gateway({ plugins: [openapi({}), adding(Routes, plain)] })
  t.teardown(under.stop)
  const { paths } = await documentOf(under)
  const operations = Object.entries(paths).flatMap(([path, methods]) => Object.keys(methods).map(method => `${method} ${path}`))
  t.same(operations.sort(), [
    'delete /v1/responses/{id}',
    'get /openapi.json',
    'get /v1/models',
    'get /v1/models/{id}',
    'get /v1/responses/health',
    'get /v1/responses/{id}',
    'get /v1/responses/{id}/input_items',
    'get /v1beta/models',
    'get /v1beta/models/{id}',
    'patch /v1/plain/{thing}/{rest}',
    'post /v1/responses',
    'post /v1/responses/compact',
    'post /v1/responses/input_tokens',
    'post /v1/responses/{id}/cancel',
  ])
  t.match(paths['/v1/plain/{thing}/{rest}']!['patch'], { security: [{ apiKey: [] }], responses: { default: { description: /./ } } })
  t.same(paths['/v1/responses/health']!['get']!.security, [], 'no key')
  t.same(paths['/v1/responses']!['post']!.security, [{ apiKey: [] }])
})

t.test('it keeps the rules of OpenAPI 3.1, and its schemas those of JSON Schema 2020-12', async t => {
  const document = await documentOf(await stage(t))
  const ajv = new Ajv2020({ strict: false })
  const referred = new Set<string>()
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    for (const [name, member] of Object.entries(value)) {
      if (name === '$ref') referred.add(member as string)
      else walk(member)
    }
  }
  walk(document)
  const { schemas } = document.components
  const names = Object.keys(schemas)
  for (const reference of referred) t.ok(names.includes(reference.replace('#/components/schemas/', '')), `${reference} is there`)
  for (const name of names) {
    t.match(name, /^[a-zA-Z0-9._-]+$/)
    t.ok(ajv.validateSchema(schemas[name]!), `${name}: ${ajv.errorsText()}`)
    if (name !== 'ListedItem') t.ok(referred.has(`#/components/schemas/${name}`), `${name} is referred to`)
  }
  const ids = new Set<string>()
  for (const [path, methods] of Object.entries(document.paths)) {
    t.match(path, /^\//)
    const inPath = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name]) => name)
    for (const [method, { operationId, parameters = [], responses, requestBody }] of Object.entries(methods)) {
      t.notOk(ids.has(operationId), `${operationId} is the only one`)
      ids.add(operationId)
      t.same(
        parameters.filter(parameter => parameter.in === 'path').map(({ name }) => name),
        inPath,
      )
      for (const parameter of parameters) {
        t.equal(parameter.required === true, parameter.in === 'path')
        t.ok(ajv.validateSchema(parameter.schema))
      }
      t.ok(Object.keys(responses).length > 0)
      for (const [status, { description }] of Object.entries(responses)) t.ok(/^([1-5]\d\d|default)$/.test(status) && description !== '')
      t.notOk(requestBody && method === 'get')
    }
  }
  const used = checker(document)
  for (const name of names) t.doesNotThrow(() => used(name, {}), `${name} compiles`)
})

t.test('the description accepts clients’ requests, and refuses those that the gateway refuses', async t => {
  const check = checker(await documentOf(await stage(t)))
  for (const [client, request] of Object.entries(clientRequests)) t.equal(check('CreateResponse', request), undefined, client)
  for (const [rule, body] of accepted) t.equal(check('CreateResponse', body), undefined, rule)
  for (const { rule, body, beyondSchema } of refused) t.equal(check('CreateResponse', body) === undefined, beyondSchema === true, rule)
  const { input: _, ...without } = clientRequests.codex
  t.ok(check('CreateResponse', without))
  t.ok(check('CreateResponse', { ...clientRequests.text, input: null }), 'a required field is not nullable')
  for (const name of Object.keys(clientRequests.codex).filter(member => member !== 'input' && member !== 'model'))
    t.equal(check('CreateResponse', { ...clientRequests.codex, [name]: null }), undefined, `${name} is nullable`)
})

t.test('what the gateway answers is what it says', async t => {
  const finishes: readonly GenerationEvent[] = [stop, { type: 'finish', reason: 'length' }, { type: 'finish', reason: 'content-filter' }]
  for (const finish of finishes) {
    const under = await stage(t, finish)
    const check = checker(await documentOf(under))
    const { response } = await ask(under, hi)
    t.equal(check('Response', response), undefined)
    const asked = {
      reasoning: { effort: 'low' },
      tools: [{ type: 'function', name: 'f' }],
      tool_choice: 'required',
      metadata: { a: 'b' },
      prompt_cache_options: {},
    }
    t.equal(check('Response', (await ask(under, { ...hi, ...asked })).response), undefined)
    const reply = await (await under.request('/v1/responses', { body: { ...hi, stream: true } })).text()
    checkStream(reply)
    const events = readEvents(reply)
    for (const event of events) t.equal(check('ResponseStreamEvent', event), undefined, String(event.type))
    if (finish !== stop) continue
    t.ok(new Set(events.map(({ type }) => type)).size >= 19, 'nearly all events were seen')
    const read = async (path: string, method = 'GET', body?: object): Promise<unknown> =>
      await (await under.request(path, { method, ...(body && { body }) })).json()
    const path = `/v1/responses/${response.id}`
    t.equal(check('Response', await read(path)), undefined)
    t.equal(check('InputItemList', await read(`${path}/input_items`)), undefined)
    t.equal(check('Error', await read(`${path}/cancel`, 'POST')), undefined)
    t.equal(check('DeletedResponse', await read(path, 'DELETE')), undefined)
    t.equal(check('Error', await read(path)), undefined)
    t.equal(check('InputTokens', await read('/v1/responses/input_tokens', 'POST', hi)), undefined)
    t.equal(check('ModelList', await read('/v1/models')), undefined)
    t.equal(check('ModelDetail', await read('/v1/models/m')), undefined)
    const failed = await (await under.request('/v1/responses', { body: { model: 'broken/m', input: 'hi', stream: true } })).text()
    const last = readEvents(failed).slice(-2)
    t.same(
      last.map(({ type }) => type),
      ['error', 'response.failed'],
    )
    for (const event of last) t.equal(check('ResponseStreamEvent', event), undefined)
    t.equal(check('Error', await read('/v1/responses', 'POST', { model: 'broken/m', input: 'hi' })), undefined)
  }
})

const published = new URL('../../../../shared/wire-schemas/', import.meta.url)

t.test(
  'what the public protocols require of a response, it requires',
  { skip: !existsSync(published) && 'the public schemas are not here' },
  async t => {
    const { schemas } = (await documentOf(await stage(t))).components
    interface Public {
      readonly components: { readonly schemas: Readonly<Record<string, PublicSchema>> }
    }
    interface PublicSchema {
      readonly $ref?: string
      readonly required?: readonly string[]
      readonly allOf?: readonly PublicSchema[]
      readonly properties?: { readonly type?: { readonly enum?: readonly string[]; readonly const?: string } }
    }
    for (const file of [
      'openai.responses-and-chat.openapi.json',
      'open-responses.2026-01-15.openapi.json',
      'open-responses.2026-04-24.openapi.json',
    ]) {
      const theirs = (JSON.parse(readFileSync(new URL(file, published), 'utf8')) as Public).components.schemas
      const requiredOf = ({ $ref, required = [], allOf = [] }: PublicSchema): readonly string[] => [
        ...required,
        ...($ref ? requiredOf(theirs[$ref.replace('#/components/schemas/', '')]!) : []),
        ...allOf.flatMap(requiredOf),
      ]
      const require = (name: string, ...public_: readonly string[]): void => {
        for (const each of public_.filter(candidate => candidate in theirs))
          for (const member of requiredOf(theirs[each]!)) t.ok(schemas[name]!.required!.includes(member), `${file}: ${name}.${member}`)
      }
      require('Response', 'Response', 'ResponseResource')
      require('Usage', 'ResponseUsage', 'Usage')
      require('OutputMessage', 'OutputMessage')
      require('FunctionCall', 'FunctionToolCallResource', 'FunctionCall')
      require('CustomToolCall', 'CustomToolCall')
      require('WebSearchCall', 'WebSearchToolCall')
      require('OutputText', 'OutputTextContent')
      require('InputItemList', 'ResponseItemList')
      require('InputTokens', 'TokenCountsResource')
      const ours = new Map(
        Object.entries(schemas).flatMap(([name, { properties }]) => {
          const type = (properties?.['type'] as { readonly const?: string } | undefined)?.const
          return type !== undefined && name.endsWith('Event') ? [[type, name] as const] : []
        }),
      )
      const events = Object.values(theirs).flatMap(schema => {
        const type = schema.properties?.type
        const name = ours.get(type?.const ?? type?.enum?.[0] ?? '')
        return name && name !== 'ErrorEvent' ? [{ name, schema }] : []
      })
      t.ok(events.length >= 15, `${events.length} events in common with ${file}`)
      for (const { name, schema } of events)
        for (const member of requiredOf(schema)) t.ok(schemas[name]!.required!.includes(member), `${file}: ${name}.${member}`)
    }
  },
)

t.test('a route whose description is wrong is left out, and the log names its plugin', async t => {
  const secret = 'the words of a prompt'
  const replies = { 200: { description: 'Fine.' } }
  const fails = (): never => {
    throw new Error(secret)
  }
  for (const [describe, problem] of [
    [fails, 'failed in `describe` of route "GET /v1/careless": The message may quote content, '],
    [() => 5, 'returned a bad answer from `describe` of route "GET /v1/careless": expected an object, got a number'],
    [() => undefined, ': expected an object, got undefined'],
    [async () => fails(), ': expected an object, got a promise (leave out `async`)'],
    [() => ({ replies }), ': expected a string as `summary`, got undefined'],
    [() => ({ summary: 'Careless' }), ': expected an object as `replies`, got undefined'],
    [() => ({ summary: 'Careless', replies, request: { default: 1n } }), 'failed in `describe` of route "GET /v1/careless": '],
    [() => ({ summary: 'Careless', replies, schemas: { Error: {} } }), 'got "Error", which another route describes otherwise'],
  ] as const) {
    const route = { method: 'GET', path: '/v1/careless', auth: 'none', handle: () => ({ status: 200 }), describe } as unknown as Route
    const under = await gateway({ plugins: [openapi({}), adding(Routes, route)] })
    t.teardown(under.stop)
    for (let asked = 0; asked < 2; asked++) {
      const reply = await under.request('/openapi.json')
      t.equal(reply.status, 200)
      const { paths } = (await reply.json()) as { readonly paths: JsonObject }
      t.notOk(paths['/v1/careless'])
      t.ok(paths['/v1/responses'])
    }
    const lines = under.logs.map(line => JSON.parse(line)).filter(({ level }) => level === 'error')
    t.equal(lines.length, 1)
    t.match(lines[0], { plugin: /^adding-/, route: 'GET /v1/careless' })
    t.ok(lines[0].reason.startsWith(`plugin ${lines[0].plugin} `) && lines[0].reason.includes(problem), lines[0].reason)
    t.notMatch(under.logs.join(''), secret)
  }
})
