import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'
import { wire } from '../../core/framework/container.ts'
import {
  Clock,
  Ids,
  definePlugin,
  invalidRequest,
  ProviderFailure,
  Providers,
  Routes,
  token,
  type GenerationEvent,
  type GenerationRequest,
  type Item,
  type ProviderCall,
  type Registrar,
} from '../../core/index.ts'
import { chatProvider, type ChatHost, type MessagesHost, type ResponsesHost } from '../../dialects/index.ts'

// Code that the compiler must refuse. Each expected error that does not come is an error itself. The test below runs the compiler.

interface Shelf {
  readonly books: readonly string[]
}
const Shelf = token<Shelf>('test-shelf')

const plugin = definePlugin({
  name: 'demo',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['apiKey'],
    properties: {
      apiKey: { type: 'string' },
      tier: { enum: ['basic', 'fast'], default: 'basic' },
      hosts: { type: 'array', items: { type: 'string' } },
    },
  },
  needs: { shelf: Shelf, clock: Clock },
  setup(gateway, options, needs) {
    const complete: 'basic' | 'fast' = options.tier
    const hosts: readonly string[] | undefined = options.hosts
    const books: readonly string[] = needs.shelf.books
    // @ts-expect-error an option that the schema has not
    options.teir satisfies string
    // @ts-expect-error an option without a default may be absent
    options.hosts.length satisfies number
    // @ts-expect-error a service that the plugin did not ask for
    needs.ids satisfies Ids
    // @ts-expect-error a need is of its token's type
    needs.clock.books satisfies unknown
    return void [gateway, complete, hosts, books]
  },
})

export const optionsOfConfigs = [
  plugin({ apiKey: 'sk-demo' }),
  plugin({ apiKey: 'sk-demo', tier: 'fast', hosts: ['a.example.com'] }),
  // @ts-expect-error a required option is missing
  plugin({}),
  // @ts-expect-error a misspelt option
  plugin({ apiKey: 'sk-demo', teir: 'fast' }),
  // @ts-expect-error a value outside the enumeration
  plugin({ apiKey: 'sk-demo', tier: 'slow' }),
  // @ts-expect-error a value of the wrong type
  plugin({ apiKey: 7 }),
]

// @ts-expect-error options must be closed, so that a misspelt one is refused
definePlugin({ name: 'open', options: { type: 'object', properties: {} }, setup() {} })
// @ts-expect-error a plugin needs a set-up
definePlugin({ name: 'idle', options: { type: 'object', additionalProperties: false, properties: {} } })

export function contributions(gateway: Registrar): void {
  gateway.provide(Shelf, { books: ['Dune'] })
  // @ts-expect-error a service of another type
  gateway.provide(Shelf, { books: 'Dune' })
  // @ts-expect-error a contribution of another extension point
  gateway.add(Providers, { method: 'GET', path: '/', auth: 'none', handle: () => ({ status: 200 }) })
  // @ts-expect-error a route without its authentication
  gateway.add(Routes, { method: 'GET', path: '/', handle: () => ({ status: 200 }) })
  // @ts-expect-error a service is no extension point
  gateway.add(Shelf, { books: [] })
}

class Dated {
  constructor(clock: Clock, ids: Ids) {
    void [clock, ids]
  }
}
export function wiring(): void {
  wire(Dated, [Clock, Ids])
  // @ts-expect-error tokens in another order than the constructor's parameters
  wire(Dated, [Ids, Clock])
  // @ts-expect-error a parameter without a token
  wire(Dated, [Clock])
  // @ts-expect-error a token too many
  wire(Dated, [Clock, Ids, Shelf])
}

export function requests(request: GenerationRequest, call: ProviderCall, item: Item): void {
  // @ts-expect-error requests are shared by all attempts, so nobody changes them
  request.model = 'demo/other'
  // @ts-expect-error neither their lists
  request.input.push(item)
  // @ts-expect-error the gateway's own members never reach a provider
  call.request.metadata satisfies unknown
  // @ts-expect-error neither does routing
  call.request.routing satisfies unknown
  // @ts-expect-error a member of one kind of item, before the kind is known
  item.arguments satisfies string
  if (item.type === 'function_call') item.arguments satisfies string
}

export const events: readonly GenerationEvent[] = [
  { type: 'finish', reason: 'stop' },
  // @ts-expect-error a reason that there is not
  { type: 'finish', reason: 'end_turn' },
  // @ts-expect-error reasoning says in which form it is
  { type: 'reasoning', text: 'Hm' },
  // @ts-expect-error providers make no indexes
  { type: 'text', text: 'Hi', index: 0 },
]

export const failures = [
  new ProviderFailure({ kind: 'rate-limit', message: 'Slow down.', code: 'image_too_large' }),
  // @ts-expect-error a kind that there is not
  new ProviderFailure({ kind: 'rate_limit', message: 'Slow down.' }),
  // @ts-expect-error a code outside the public list
  new ProviderFailure({ kind: 'rate-limit', message: 'Slow down.', code: 'too_many' }),
  // @ts-expect-error a parameter is named by its path
  invalidRequest('Wrong.', ['input', 0]),
]

const globex = chatProvider({
  name: 'globex',
  id: 'globex',
  required: ['apiKey'],
  options: { region: { enum: ['eu', 'us'], description: 'Where requests are answered.' } },
  departures({ id, region }) {
    const named: string = id
    const place: 'eu' | 'us' | undefined = region
    return { headers: { 'x-region': place ?? named }, thinkTags: undefined }
  },
})
export const uses = [
  globex({ apiKey: 'sk-demo', region: 'eu', timeouts: { totalMs: 1000 } }),
  // @ts-expect-error the option that the table requires
  globex({ region: 'eu' }),
  // @ts-expect-error a value that the table does not have
  globex({ apiKey: 'sk-demo', region: 'mars' }),
]
export const chatHosts: readonly ChatHost[] = [
  { renamed: { max_tokens: 'max_output' }, finishReasons: { done: 'stop', tired: { failure: 'overloaded' } } },
  // @ts-expect-error a misspelled member
  { toolChoise: 'auto' },
  // @ts-expect-error a member of requests that there is not
  { renamed: { max_token: 'max_output' } },
  // @ts-expect-error a reason that there is not
  { finishReasons: { done: 'end' } },
  // @ts-expect-error counts without those of the output
  { usage: { input: 'in' } },
]
// @ts-expect-error a member of another dialect
export const responsesHost: ResponsesHost = { thinkTags: true }
// @ts-expect-error traits that there are not
export const messagesHost: MessagesHost = { traits: [[/x/, { thinks: true }]] }

t.test('the compiler refuses what it should', async t => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  const project = t.testdir({
    'tsconfig.json': JSON.stringify({ extends: `${root}tsconfig.json`, include: [], files: [`${root}test/repository/types.test.ts`] }),
  })
  // Not `bin/tsc`: under tap's module hooks Node takes a file without an extension for CommonJS.
  const compiler = `${root}node_modules/typescript/lib/tsc.js`
  const said = await promisify(execFile)(process.execPath, [compiler, '--noEmit', '-p', project]).catch((error: unknown) => error)
  t.match(said, { stdout: /^$/, stderr: /^$/ })
})
