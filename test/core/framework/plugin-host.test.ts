import type { HttpClient } from '../../../core/contracts/http-client.ts'
import { resolve } from 'node:path'
import t from 'tap'
import { createContainer } from '../../../core/framework/container.ts'
import { OpenRegistry } from '../../../core/framework/open-registry.ts'
import type { Registry } from '../../../core/framework/registry.ts'
import {
  Clock,
  definePlugin,
  PluginError,
  token,
  type PluginDefinition,
  type PluginUse,
  type Registrar,
  type Token,
} from '../../../core/index.ts'
import { KeyStore, Ledger } from '../../../core/stores.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { extensionPoints } from '../../../core/framework/extension-points.ts'
import { check } from '../../../core/framework/checked-plugins.ts'
import { PluginHost } from '../../../core/framework/plugin-host.ts'
import { announcedSchemas, type AnnouncedSchema } from '../../../core/validation/lazy-validator.ts'

interface Shelf {
  readonly books: readonly string[]
}
const Shelf = token<Shelf>('test-shelf')
const Books = token<Registry<{ readonly title: string }>>('test-books')

const none = { type: 'object', additionalProperties: false, properties: {} } as const
const noNetwork = () => Promise.reject(new Error('no network here'))
const http: HttpClient = { send: noNetwork, media: noNetwork, close: async () => {} }

function setUp() {
  const masks = new Masks()
  const container = createContainer()
  const books = new OpenRegistry<{ readonly title: string }>('book', book => book.title)
  container.value(Clock, { now: () => 7, elapsed: () => 7 })
  container.value(Books, books)
  return { host: new PluginHost(container, createLogger('silent', masks), http, masks), books, masks }
}

/** The message with which setting up fails. */
async function problem(...uses: readonly PluginUse[]): Promise<string> {
  try {
    await setUp().host.setUp(uses)
    return 'none'
  } catch (error) {
    return (error as Error).message
  }
}

/** Plugins that write down what happens to them. */
function witnesses() {
  const seen: string[] = []
  const witness = (name: string, more: { after?: string[]; fails?: 'setup' | 'start' | 'stop' } = {}) =>
    definePlugin({
      name,
      options: none,
      ...(more.after && { after: more.after }),
      setup(gateway) {
        gateway.onStart(() => {
          if (more.fails === 'start') throw new Error('no start')
          seen.push(`start ${name}`)
        })
        gateway.onStop(async () => {
          seen.push(`stop ${name}`)
          if (more.fails === 'stop') throw new Error('no stop')
        })
        if (more.fails === 'setup') throw new Error('no setup')
        seen.push(`setup ${name}`)
      },
    })({})
  return { seen, witness }
}

const shelf = definePlugin({
  name: 'shelf',
  options: none,
  provides: [Shelf],
  setup: gateway => gateway.provide(Shelf, { books: ['Dune'] }),
})
const reader = definePlugin({
  name: 'reader',
  options: none,
  needs: { shelf: Shelf, books: Books, clock: Clock },
  setup(gateway, _options, { shelf, clock }) {
    for (const title of shelf.books) gateway.add(Books, { title: `${title} at ${clock.now()}` })
  },
})
const book = definePlugin({
  name: 'book',
  options: {
    type: 'object',
    additionalProperties: false,
    required: ['title'],
    properties: {
      title: { type: 'string', minLength: 1 },
      tags: { type: 'array', items: { type: 'string' }, default: ['new'] },
      binding: { enum: ['paper', 'cloth'], default: 'paper' },
      code: { type: 'string', writeOnly: true },
      link: { type: 'string', format: 'uri' },
    },
  },
  instance: ({ title }) => title,
  setup: (gateway, { title, tags, binding }) => gateway.add(Books, { title: `${title} ${tags.join()} ${binding}` }),
})

t.test('sets up in config order, save for what a plugin needs or names, and stops in the opposite one', async t => {
  const { host, books } = setUp()
  const { seen, witness } = witnesses()
  const ordered = await host.setUp([reader({}), witness('late', { after: ['early', 'absent'] }), shelf({}), witness('early')])
  t.same(
    ordered.map(({ name }) => name),
    ['shelf', 'reader', 'early', 'late'],
  )
  t.same(books.names(), ['Dune at 7'])
  t.equal(books.pluginOf('Dune at 7'), 'reader')
  await host.start()
  await host.stop()
  t.same(seen, ['setup early', 'setup late', 'start early', 'start late', 'stop late', 'stop early'])
  await host.stop()
  t.equal(seen.length, 6, 'stopping again stops nothing twice')
})

t.test('a plugin gets what it wants, or does without', async t => {
  const eager = definePlugin({
    name: 'eager',
    options: none,
    wants: { shelf: Shelf },
    needs: { clock: Clock },
    setup(gateway, _options, { shelf, clock }) {
      gateway.add(Books, { title: `${shelf?.books[0]} at ${clock.now()}` })
    },
  })
  const alone = setUp()
  await alone.host.setUp([eager({})])
  t.same(alone.books.names(), ['undefined at 7'])
  const together = setUp()
  const ordered = await together.host.setUp([eager({}), shelf({})])
  t.same(
    ordered.map(({ name }) => name),
    ['shelf', 'eager'],
  )
  t.same(together.books.names(), ['Dune at 7'])
})

t.test('after names one use of a plugin, or all of them', async t => {
  const { host } = setUp()
  const { witness } = witnesses()
  const uses = [witness('one', { after: ['book(B)'] }), witness('all', { after: ['book'] }), book({ title: 'A' }), book({ title: 'B' })]
  t.same(
    (await host.setUp(uses)).map(({ name }) => name),
    ['book(B)', 'one', 'book(A)', 'all'],
  )
})

t.test('fills in defaults, changes nobody else, and learns the secrets', async t => {
  const { host, books, masks } = setUp()
  const options = { title: 'Emma', code: 'sk-demo-secret' }
  await host.setUp([book(options)])
  t.same(books.names(), ['Emma new paper'])
  t.same(options, { title: 'Emma', code: 'sk-demo-secret' })
  t.equal(masks.apply('Emma sk-demo-secret'), 'Emma ***')
})

t.test('names the plugin at fault', async t => {
  const { witness } = witnesses()
  const failing = (error: unknown) =>
    definePlugin({
      name: 'failing',
      options: none,
      setup() {
        throw error
      },
    })({})
  const idle = definePlugin({ name: 'idle', options: none, provides: [Shelf], setup() {} })
  const sneaky = definePlugin({ name: 'sneaky', options: none, setup: gateway => gateway.provide(Shelf, { books: [] }) })
  const lost = definePlugin({ name: 'lost', options: none, setup: gateway => gateway.add(token<Registry<string>>('nowhere'), 'x') })
  const expected: readonly (readonly [string, readonly PluginUse[]])[] = [
    ['plugin failing failed to set up: x is not a function', [failing(new TypeError('x is not a function'))]],
    ['plugin failing failed to set up: just text', [failing('just text')]],
    ['plugin elsewhere is known', [failing(new PluginError('elsewhere', 'is known'))]],
    ['plugin reader needs test-shelf, which no plugin provides', [reader({})]],
    ['plugin idle declares test-shelf but never provided it. Call gateway.provide(test-shelf, …) in setup', [idle({})]],
    ['plugin sneaky provides test-shelf without declaring it. Write provides: [test-shelf] into definePlugin', [sneaky({})]],
    ['plugin idle provides test-shelf, as plugin shelf already does', [shelf({}), idle({})]],
    ["plugin lost adds to nowhere, which is not an extension point. Import one: import { Providers } from 'turnpike'", [lost({})]],
    ['plugin shelf is listed twice. Remove one', [shelf({}), shelf({})]],
    ['plugin book(A) is listed twice. Remove one', [book({ title: 'A' }), book({ title: 'B' }), book({ title: 'A', binding: 'cloth' })]],
    [
      "plugin book(A) is listed twice. Leave out one with defaults({ without: ['A'] })",
      [{ ...book({ title: 'A' }), isDefault: true }, book({ title: 'A' })],
    ],
    ['plugin shelf has the same name as another plugin. Rename one of them', [shelf({}), witness('shelf')]],
    ['plugin a waits for itself: a → b → a', [witness('a', { after: ['b'] }), witness('b', { after: ['a'] })]],
    [
      'plugin book(A again) adds book "A again again paper", which plugin book(A) already added. Rename one of them, or leave out one of the plugins',
      [book({ title: 'A', tags: ['again again'] }), book({ title: 'A again', tags: ['again'] })],
    ],
  ]
  for (const [message, uses] of expected) t.equal(await problem(...uses), message)
})

t.test('a service that several plugins could provide comes from the one that insists on it', async t => {
  const shelves = (name: string, when: 'provides' | 'offers') =>
    definePlugin({ name, options: none, [when]: [Shelf], setup: gateway => gateway.provide(Shelf, { books: [name] }) })({})
  const byDefault = (use: PluginUse): PluginUse => ({ ...use, isDefault: true })
  const firm = shelves('firm', 'provides')
  const offer = shelves('offer', 'offers')
  for (const [winner, uses] of [
    ['firm', [offer, firm]],
    ['firm', [firm, offer]],
    ['offer', [offer]],
    ['offer', [byDefault(firm), offer]],
    ['offer', [byDefault(firm), byDefault(offer)]],
    ['firm', [byDefault(offer), byDefault(firm)]],
  ] as const) {
    const { host, books } = setUp()
    const plugins = await host.setUp([reader({}), ...uses])
    t.same(books.names(), [`${winner} at 7`])
    t.same(
      plugins.filter(({ provides }) => provides.length > 0).map(({ name }) => name),
      [winner],
    )
  }
  t.match(await problem(firm, shelves('other', 'provides')), 'plugin other provides test-shelf, as plugin firm already does')
  t.match(await problem(offer, shelves('other', 'offers')), 'plugin other provides test-shelf, as plugin offer already does')

  let asked: boolean | undefined
  const asking = definePlugin({ name: 'asking', options: none, offers: [Shelf], setup: gateway => void (asked = gateway.provides(Shelf)) })
  await setUp().host.setUp([asking({}), firm])
  t.equal(asked, false)
})

t.test('says what a text should look like, and where defaults() has it from', async t => {
  const url = {
    type: 'string',
    description: 'The address, such as db://user:password@db.example.com/books. With defaults(): BOOKS_URL.',
  } as const
  const shelf = definePlugin({
    name: 'shelf',
    options: {
      type: 'object',
      additionalProperties: false,
      properties: {
        url: { ...url, pattern: '^db://', writeOnly: true },
        link: { ...url, pattern: '^https:', format: 'uri' },
        code: { ...url, pattern: '^[A-Z]$' },
      },
    },
    setup() {},
  })
  await t.rejects(setUp().host.setUp([shelf({ url: 'books', link: 'books', code: 'ab' })]), {
    message:
      'plugin shelf has bad options: url must look like db://user:password@db.example.com/books (BOOKS_URL with defaults()); link must be a URL that starts with http:// or https:// (BOOKS_URL with defaults()); code must match pattern "^[A-Z]$" (BOOKS_URL with defaults())',
  })
})

t.test('reports all bad options at once, before anything is set up', async t => {
  const { host } = setUp()
  const { seen, witness } = witnesses()
  // @ts-expect-error an empty call leaves out the title
  const untitled = book({})
  // @ts-expect-error options that are unknown, or outside their enumeration
  const strange = book({ title: '', binding: 'stone', shelfmark: 1 })
  const stranger = (() => {}) as unknown as PluginUse
  const error = await host
    .setUp([witness('good'), untitled, strange, book({ title: 'x', link: 'nowhere' }), stranger])
    .catch((error: unknown) => error)
  t.type(error, AggregateError)
  t.same((error as Error).message.split('\n'), [
    'plugin book has bad options: title is missing',
    'plugin book has bad options: unknown option shelfmark (expected title, tags, binding, code, link); title must not be empty; binding must be one of paper, cloth',
    'plugin book has bad options: link must be a URL that starts with http:// or https://',
    'plugin #5 in `plugins` is a function that was not called: call stranger({})',
  ])
  t.same(seen, [])
})

t.test('a failure stops what was set up before it, and tells of both failures', async t => {
  for (const phase of ['setup', 'start'] as const) {
    const { host } = setUp()
    const { seen, witness } = witnesses()
    const run = async () => {
      await host.setUp([witness('first'), witness('second', { fails: phase }), witness('third')])
      await host.start()
    }
    await t.rejects(run(), new PluginError('second', `failed to ${phase === 'setup' ? 'set up' : 'start'}: no ${phase}`))
    t.same(
      seen.filter(what => what.startsWith('stop')),
      phase === 'setup' ? ['stop second', 'stop first'] : ['stop third', 'stop second', 'stop first'],
    )
  }
  const { host } = setUp()
  const { seen, witness } = witnesses()
  const error = await host
    .setUp([witness('first'), witness('second', { fails: 'stop' }), witness('third', { fails: 'setup' })])
    .catch((error: unknown) => error)
  t.type(error, AggregateError)
  t.equal((error as Error).message, 'plugin third failed to set up: no setup\nand stopping failed: plugin second failed to stop: no stop')
  t.ok(seen.includes('stop first'), 'the others are stopped all the same')
})

t.test('every plugin that fails to stop is named', async t => {
  const { host } = setUp()
  const { witness } = witnesses()
  await host.setUp([witness('first', { fails: 'stop' }), witness('second', { fails: 'stop' })])
  const error = await host.stop().catch((error: unknown) => error)
  t.type(error, AggregateError)
  t.equal((error as Error).message, 'plugin second failed to stop: no stop\nplugin first failed to stop: no stop')
})

t.test('a value that is no plugin gets an error that says what to write', async t => {
  const plugin = definePlugin({ name: 'page-count', options: none, setup() {} })
  for (const [entry, expected] of [
    [plugin, 'is a function that was not called: call pageCount({})'],
    ['page-count', 'is the string "page-count": import the plugin and call it'],
    [[plugin({})], 'is an array: spread it into `plugins`'],
    [Promise.resolve(plugin({})), 'is a promise: await it'],
    [await import('../../../core/foundation/ids.ts'), 'is a module: import its default export and call it'],
    [{ name: 'page-count' }, 'is not a plugin, but an object with name: call a plugin with its options'],
    [undefined, 'is not a plugin (apiVersion 1): call a plugin to make one'],
  ] as const)
    t.match(await problem(entry as unknown as PluginUse), `plugin #1 in \`plugins\` ${expected}`)
  t.equal(await problem((plugin as () => PluginUse)()), 'none', 'no options are as good as empty ones')
})

t.test('relative paths start at the folder of the config', async t => {
  const found: string[] = []
  const plugin = definePlugin({
    name: 'paths',
    options: none,
    setup: ({ resolvePath }) => void found.push(resolvePath('./data/x.db'), resolvePath('/var/x.db')),
  })
  for (const folder of ['/srv/site', undefined]) {
    const masks = new Masks()
    await new PluginHost(createContainer(), createLogger('silent', masks), http, masks, { folder }).setUp([plugin({})])
  }
  t.same(found, [resolve('/srv/site/data/x.db'), resolve('/var/x.db'), resolve('data/x.db'), resolve('/var/x.db')])
})

const run = (): void => {}
/** A contribution to each extension point with all that its contract requires, and the label in its errors. */
const contributions: Readonly<Record<string, readonly [object, label: string]>> = {
  provider: [{ id: 'acme', generate: run }, 'provider "acme"'],
  'absent provider': [{ id: 'acme', remedy: 'set ACME_API_KEY' }, 'absent provider "acme"'],
  'catalog source': [{ name: 'list', entries: run }, 'catalog source "list"'],
  'decision client': [{ provider: 'acme', resolve: run, decide: run }, 'a decision client'],
  guardrail: [{ name: 'g', enforces: ['zdr'], onFailure: 'refuse', timeoutMs: 100, seesContent: 'local', open: run }, 'guardrail "g"'],
  'policy source': [{ level: 'org', policy: run }, 'a policy source'],
  sort: [{ name: 'beauty', description: 'Beauty, most first.', first: 'highest', values: run }, 'sort "beauty"'],
  tool: [{ type: 'get_weather', schema: {}, seesContent: 'local', timeoutMs: 100, open: run }, 'tool "get_weather"'],
  'search engine': [{ name: 'e', seesContent: 'local', search: run }, 'search engine "e"'],
  'log sink': [{ name: 's', accepts: 'metadata', write: run }, 'log sink "s"'],
  route: [{ method: 'GET', path: '/v1/x', auth: 'key', handle: run }, 'a route'],
  'admin authenticator': [{ name: 'x', admit: run }, 'admin authenticator "x"'],
  'admin host': [{ name: 'admin.example.com' }, 'admin host "admin.example.com"'],
  'dashboard page': [{ id: 'x', title: 'X', module: new URL(import.meta.url) }, 'dashboard page "x"'],
  'call wrapper': [{ name: 'a', seesContent: 'local', keepsContent: false, timeoutMs: 1, count: run }, 'call wrapper "a"'],
  'call observer': [{ name: 'a', begin: run }, 'call observer "a"'],
  'alert channel': [{ name: 'a', deliver: run }, 'alert channel "a"'],
  'connection protocol': [{ protocol: 'websocket', path: '/v1/x', open: run }, 'a connection protocol'],
  'admin route': [{ method: 'GET', path: '/admin/v1/x', role: 'viewer', reach: 'org', handle: run }, 'an admin route'],
}

const wrongMembers: Readonly<Record<string, readonly (readonly [member: string, value: unknown, problem: string])[]>> = {
  provider: [
    ['id', 'a/b', 'expected a non-empty string without slashes or white space, got "a/b"'],
    ['timeouts', { totalMs: -1 }, 'expected an object with milliseconds above 0, or nothing, got an object'],
    ['credentials', [{ id: 'a' }], 'expected an array of { id, account } with strings, or nothing, got an array'],
  ],
  'catalog source': [['rank', 'first', 'expected "provider", "bundled" or "operator", or nothing, got "first"']],
  'decision client': [['timeoutMs', 0, 'expected a number of milliseconds above 0, at most 2147483647, or nothing, got 0']],
  guardrail: [
    ['enforces', ['redact'], 'expected an array of policy fields (zdr, logging, hipaa, redaction), got ["redact"]'],
    ['onFailure', 'deny', 'expected "refuse" or "allow", got "deny"'],
    ['timeoutMs', Infinity, 'expected a number of milliseconds above 0, at most 2147483647, got Infinity'],
    ['seesContent', { zdr: true, hipaa: false }, 'expected "local" or { zdr, hipaa }, each an object or false, got an object'],
    ['open', undefined, 'expected a function, got undefined'],
  ],
  'policy source': [['level', 'organization', 'expected "org", "team" or "user", got "organization"']],
  sort: [
    ['first', 'up', 'expected "lowest" or "highest", got "up"'],
    ['description', '', 'expected a non-empty string, got ""'],
    ['values', undefined, 'expected a function, got undefined'],
    ['pattern', '^p(', 'expected the source of a regular expression, from ^ to $, or nothing, got "^p("'],
    ['pattern', '^p($', 'expected the source of a regular expression, from ^ to $, or nothing, got "^p($"'],
    ['examples', 'p50', 'expected an array of strings, or nothing, got "p50"'],
  ],
  'log sink': [['accepts', 'all', 'expected "metadata" or "content", got "all"']],
  route: [
    ['method', 'get', 'expected "GET", "POST", "PUT", "PATCH" or "DELETE", got "get"'],
    ['path', 'v1/x', 'expected a path that starts with "/", got "v1/x"'],
    ['auth', 'bearer', 'expected "key" or "none", got "bearer"'],
    ['handle', 5, 'expected a function, got 5'],
  ],
  'dashboard page': [
    ['id', 'My Page', 'expected a word in kebab-case, got "My Page"'],
    ['module', './page.js', 'expected the URL of a file, such as new URL(\'page.js\', import.meta.url), got "./page.js"'],
    ['role', 'root', 'expected "owner", "editor" or "viewer", or nothing, got "root"'],
  ],
  'connection protocol': [
    ['protocol', 'WebSocket', 'expected a value of the header upgrade, in lower case, such as "websocket", got "WebSocket"'],
    ['path', '/v1/:id', 'expected a path that starts with "/", without parameters and without "/" at its end, got "/v1/:id"'],
    ['auth', 'role', 'expected "key" or "none", or nothing, got "role"'],
  ],
  'admin route': [['reach', 'key', 'expected "org" or "all", got "key"']],
}

t.test('a malformed contribution is refused when it is added, with its plugin and member', async t => {
  t.same(extensionPoints.map(({ create }) => create().kind).sort(), Object.keys(contributions).sort(), 'every extension point is tested')
  for (const { create } of extensionPoints) {
    const { kind } = create()
    const [good, label] = contributions[kind]!
    create().add(good, 'x')
    for (const none of [undefined, null, 'text'])
      t.throws(() => create().add(none, 'x'), {
        plugin: 'x',
        message: `plugin x adds ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: expected an object, got ${JSON.stringify(none)}`,
      })
    // A wrapper needs one function, whichever it is.
    for (const member of Object.keys(good).filter(name => name !== 'count')) {
      const { [member]: _, ...rest } = good as Record<string, unknown>
      t.throws(
        () => create().add(rest, 'x'),
        { plugin: 'x', message: new RegExp(`with a bad \`${member}\`: expected .*, got undefined$`) },
        `${kind} without ${member}`,
      )
    }
    for (const [member, value, problem] of wrongMembers[kind] ?? []) {
      const named = member === 'id' ? `${kind} "${value as string}"` : label
      t.throws(() => create().add({ ...good, [member]: value }, 'x'), {
        message: `plugin x adds ${named} with a bad \`${member}\`: ${problem}`,
      })
    }
  }
  class Client {
    readonly provider = 'acme'
    resolve = run
    decide(): void {}
  }
  const clients = extensionPoints.map(({ create }) => create()).find(({ kind }) => kind === 'decision client')!
  clients.add(new Client(), 'x')
  t.same(clients.names(), ['acme'], 'methods of a class are members')
  const tools = extensionPoints.map(({ create }) => create()).find(({ kind }) => kind === 'tool')!
  const tool = { type: 'lookup', schema: { type: 'object' }, seesContent: 'local', timeoutMs: 1000, open: run }
  for (const [member, value] of Object.entries({ open: 5, timeoutMs: 0, costUsd: -1 }))
    t.throws(() => tools.add({ ...tool, [member]: value }, 'x'), { message: `plugin x adds tool "lookup" with a bad \`${member}\`: ` })
})

t.test('mistakes of a plugin without types are reported with its name, and without a stack', async t => {
  const use = (plugin: object): PluginUse => ({
    apiVersion: 1,
    plugin: { name: 'x', options: none, setup: run, ...plugin } as PluginDefinition,
    options: {},
  })
  const adding = (point: unknown): PluginUse => use({ setup: (gateway: { add(...args: unknown[]): void }) => gateway.add(point, {}) })
  const closed = "plugin x needs a closed JSON Schema in `options`: { type: 'object', additionalProperties: false, properties: { … } }"
  const properties = { a: { type: 'strnig' } }
  const badName = 'plugin #1 in `plugins` has a bad `name`: expected one such as acme-chat or @acme/turnpike-chat, got'
  const providing = (service: Token<any>, given: unknown): PluginUse =>
    use({ provides: [service], setup: (gateway: Registrar) => gateway.provide(service, given) })
  const calling = (member: string, ...given: readonly unknown[]): PluginUse =>
    use({ setup: (registrar: Record<string, (...given: readonly unknown[]) => void>) => registrar[member]!(...given) })
  const ledger = { reserve: run, spent: run, raiseSpent: run, balance: run, entries: run }
  for (const [given, message] of [
    [use({ options: undefined }), closed],
    [use({ options: { type: 'object', properties: {} } }), closed],
    [
      use({ options: { ...none, properties } }),
      /^plugin x has an invalid JSON Schema in `options`: schema is invalid: data\/properties\/a\/type/,
    ],
    [definePlugin({ options: none, setup: run } as never)({}), `${badName} undefined`],
    [use({ name: '' }), `${badName} ""`],
    [use({ name: 'Acme Chat' }), `${badName} "Acme Chat"`],
    [use({ name: '../acme' }), `${badName} "../acme"`],
    [use({ name: 'x'.repeat(300) }), `${badName} a longer string`],
    [providing(KeyStore, undefined), 'plugin x provides key-store: expected an object, got undefined'],
    [providing(KeyStore, { persistent: true }), 'plugin x provides key-store with a bad `find`: expected a function, got undefined'],
    [providing(Ledger, { ...ledger, addCredit: 5 }), 'plugin x provides ledger with a bad `addCredit`: expected a function, got 5'],
    [use({ setup: undefined }), 'plugin x needs `setup`: a function'],
    [use({ instance: () => { throw new Error('no id') } }), 'plugin x failed to read its options: no id'], // prettier-ignore
    [
      use({ wants: { clock: 'Clock' } }),
      'plugin x has a bad `wants`: expected a service as "clock", got a string. Import one: import { Clock } from \'turnpike\'',
    ],
    [use({ needs: { clock: Clock }, wants: { clock: Clock } }), 'plugin x has "clock" in both `needs` and `wants`. Remove one of them'],
    [
      use({ needs: { clock: 'Clock' } }),
      'plugin x has a bad `needs`: expected a service as "clock", got a string. Import one: import { Clock } from \'turnpike\'',
    ],
    [use({ provides: [undefined] }), 'plugin x has a bad `provides[0]`: expected a service, got undefined. Import one: '],
    [use({ offers: 'Ledger' }), 'plugin x has a bad `offers`: expected an array of services, got a string. Import one: '],
    [calling('provide', undefined, {}), 'plugin x calls `provide` with a bad argument: expected a service, got undefined'],
    [calling('secret', 5), 'plugin x calls `secret` with a bad argument: expected a string, got a number'],
    [calling('onStart', 'x'), 'plugin x calls `onStart` with a bad argument: expected a function, got a string'],
    [calling('onStop', undefined), 'plugin x calls `onStop` with a bad argument: expected a function, got undefined'],
    [
      { ...use({}), apiVersion: '1' } as never,
      'plugin #1 in `plugins` (x) has a bad `apiVersion`: expected the number 1, got "1". Make plugins with definePlugin',
    ],
    [{ name: 'x', setup: run } as never, /^plugin #1 in `plugins` was not made with definePlugin/],
    [definePlugin(undefined as never)({}), /^plugin #1 in `plugins` is not a plugin/],
    [adding(KeyStore), /^plugin x adds to KeyStore, which is a service\. List it in `provides`, and call gateway\.provide\(KeyStore, …\)$/],
    [adding('Providers'), /^plugin x adds to the string "Providers", which is not an extension point\. Import one/],
    [adding(undefined), /^plugin x adds to undefined, which is not an extension point/],
    [adding(Clock), /^plugin x adds to clock, which is not an extension point/],
  ] as const)
    t.match(await problem(given), message)
})

t.test('a hook that never ends is given up, and named while everyone waits', async t => {
  const { setTimeout } = globalThis
  // A thousand times as fast.
  t.intercept(globalThis, 'setTimeout', { value: (run: () => void, ms: number) => setTimeout(run, ms / 1000) })
  for (const [phase, problem] of [
    ['setup', 'failed to set up'],
    ['start', 'failed to start'],
    ['stop', 'failed to stop'],
  ] as const) {
    const lines: string[] = []
    const masks = new Masks()
    const host = new PluginHost(
      createContainer(),
      createLogger('warn', masks, line => void lines.push(line)),
      http,
      masks,
    )
    const forever = () => new Promise<void>(() => {})
    const hanging = definePlugin({
      name: 'hanging',
      options: none,
      setup(gateway) {
        if (phase === 'start') gateway.onStart(forever)
        if (phase === 'stop') gateway.onStop(forever)
        return phase === 'setup' ? forever() : undefined
      },
    })
    const life = async () => {
      await host.setUp([hanging({})])
      await host.start()
      await host.stop()
    }
    await t.rejects(life(), { message: `plugin hanging ${problem}: it took longer than 10000 ms` })
    t.match(lines.join(''), /"plugin":"hanging","timeoutMs":10000,"message":"still waiting for a plugin"/)
  }
})

t.test('the options of a plugin are compiled once, however many gateways check them', async t => {
  const compiled: unknown[] = []
  const listen = (message: unknown): void => void compiled.push((message as AnnouncedSchema).schema)
  announcedSchemas.subscribe(listen)
  t.teardown(() => announcedSchemas.unsubscribe(listen))
  const options = { type: 'object', additionalProperties: false, properties: { shelves: { type: 'integer', default: 3 } } } as const
  const library = definePlugin({ name: 'library', options, setup: () => {} })
  const first = check([library({ shelves: 4 }), library({})])
  const second = check([library({ shelves: 5 })])
  t.same(compiled, [options])
  t.same([...first, ...second].map(plugin => plugin.options), [{ shelves: 4 }, { shelves: 3 }, { shelves: 5 }]) // prettier-ignore
  t.throws(() => check([library({ shelves: 'many' as never })]), /has bad options: .*shelves/)
})
