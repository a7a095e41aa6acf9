import type { HttpClient } from '../../core/contracts/http-client.ts'
import { resolve } from 'node:path'
import t from 'tap'
import { createContainer } from '../../core/framework/container.ts'
import { Clock, definePlugin, PluginError, Registry, token, type PluginUse } from '../../core/index.ts'
import { createLogger } from '../../core/foundation/logger.ts'
import { Masks } from '../../core/foundation/masks.ts'
import { PluginHost } from '../../core/framework/plugin-host.ts'

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
  const books = new Registry<{ readonly title: string }>('book', book => book.title)
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
    ['plugin idle declares test-shelf but never provided it', [idle({})]],
    ['plugin sneaky provides test-shelf without declaring it', [sneaky({})]],
    ['plugin idle provides test-shelf, as plugin shelf already does', [shelf({}), idle({})]],
    ['plugin lost adds to nowhere, which is no extension point here', [lost({})]],
    ['plugin shelf is listed twice', [shelf({}), shelf({})]],
    ['plugin book(A) is listed twice', [book({ title: 'A' }), book({ title: 'B' }), book({ title: 'A', binding: 'cloth' })]],
    ['plugin a waits for itself: a → b → a', [witness('a', { after: ['b'] }), witness('b', { after: ['a'] })]],
    [
      'plugin book(A again) adds book "A again again paper", which plugin book(A) already added',
      [book({ title: 'A', tags: ['again again'] }), book({ title: 'A again', tags: ['again'] })],
    ],
  ]
  for (const [message, uses] of expected) t.equal(await problem(...uses), message)
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
    "plugin book has bad options: options must have required property 'title'",
    'plugin book has bad options: unknown option shelfmark; /title must NOT have fewer than 1 characters; /binding must be equal to one of the allowed values (paper, cloth)',
    'plugin book has bad options: /link must be an address that begins with http:// or https://',
    'plugin #5 of the list is a function that was not called: call stranger({})',
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

t.test('what stands in the list in place of a plugin is told apart, with what to write', async t => {
  const plugin = definePlugin({ name: 'page-count', options: none, setup() {} })
  for (const [entry, expected] of [
    [plugin, 'is a function that was not called: call pageCount({})'],
    ['page-count', 'is the string "page-count": import the plugin and call it'],
    [[plugin({})], 'is a list: spread it into the list of plugins'],
    [Promise.resolve(plugin({})), 'is a promise: await it'],
    [await import('../../core/foundation/ids.ts'), 'is a module: import its default export and call it'],
    [{ name: 'page-count' }, 'is not a plugin: expected what calling a plugin returns'],
    [undefined, 'is not a plugin: expected what calling a plugin returns'],
  ] as const)
    t.match(await problem(entry as unknown as PluginUse), `plugin #1 of the list ${expected}`)
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
    await new PluginHost(createContainer(), createLogger('silent', masks), http, masks, folder).setUp([plugin({})])
  }
  t.same(found, [resolve('/srv/site/data/x.db'), resolve('/var/x.db'), resolve('data/x.db'), resolve('/var/x.db')])
})
