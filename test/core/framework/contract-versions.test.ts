import t from 'tap'
import absentProviders from '../../../config/absent-providers.ts'
import * as adminDoor from '../../../core/admin.ts'
import { createLogger } from '../../../core/foundation/logger.ts'
import { Masks } from '../../../core/foundation/masks.ts'
import { contractOf, token, type Token } from '../../../core/foundation/token.ts'
import { createContainer } from '../../../core/framework/container.ts'
import { contracts } from '../../../core/framework/contract-versions.ts'
import { extensionPoints } from '../../../core/framework/extension-points.ts'
import { PluginHost } from '../../../core/framework/plugin-host.ts'
import { checkedServices } from '../../../core/framework/service-shapes.ts'
import * as front from '../../../core/index.ts'
import * as kit from '../../../core/kit.ts'
import * as stores from '../../../core/stores.ts'
import admin from '../../../plugins/endpoints/admin/index.ts'
import dashboard from '../../../plugins/endpoints/dashboard/index.ts'
import { gateway } from '../../kit/gateway.ts'

const { definePlugin } = front
const none = { type: 'object', additionalProperties: false, properties: {} } as const

type Setup = Parameters<typeof definePlugin>[0]['setup']

function plugin(name: string, stated?: object, setup: Setup = () => {}): front.PluginUse {
  return definePlugin({ name, options: none, ...(stated && { contracts: stated as Record<string, number> }), setup })({})
}

/** Sets plugins up. Returns the warnings. */
async function setUp(...uses: readonly front.PluginUse[]): Promise<readonly front.JsonObject[]> {
  const lines: string[] = []
  const masks = new Masks()
  const container = createContainer()
  for (const { token, create } of extensionPoints) container.value(token, create())
  const refuse = (): Promise<never> => Promise.reject(new Error('no network here'))
  const log = createLogger('warn', masks, line => void lines.push(line))
  await new PluginHost(container, log, { send: refuse, media: refuse, close: async () => {} }, masks).setUp(uses)
  return lines.map(line => JSON.parse(line) as front.JsonObject)
}

const page: adminDoor.DashboardPage = { id: 'demo', title: 'Demo', module: new URL(import.meta.url) }
const addPage: Setup = gateway => gateway.add(adminDoor.DashboardPages, page)

t.test('every extension point and service of core states its contract, under the name that plugins import', async t => {
  const exported: Readonly<Record<string, unknown>> = { ...front, ...kit, ...stores, ...adminDoor }
  const tokens: readonly Token<any>[] = [...extensionPoints.map(({ token }) => token), ...checkedServices]
  t.ok(tokens.length > 25, `${tokens.length} contracts`)
  for (const each of tokens) {
    const { name, version, stability } = contractOf(each)!
    t.equal(exported[name], each, name)
    t.ok(version >= 1, name)
    t.match(stability, /^(stable|experimental)$/)
  }
  t.equal(contractOf(token('test-shelf')), undefined, 'a service that plugins define among themselves')
})

t.test('a plugin that was written for these contracts starts', async t => {
  const stated = Object.fromEntries(contracts.map(({ name, version }) => [name, version]))
  t.same(await setUp(plugin('acme', stated), plugin('careless')), [])
})

t.test('a plugin that was written for another contract ends the start', async t => {
  for (const [stated, message] of [
    [{ Providers: 2 }, 'plugin acme was written for version 2 of the contract Providers, and this turnpike has version 1. Update turnpike'],
    [
      { Routes: 1, Providers: 99 },
      'plugin acme was written for version 99 of the contract Providers, and this turnpike has version 1. Update turnpike',
    ],
    [
      { Telescopes: 1 },
      'plugin acme was written for version 1 of the contract Telescopes, which this turnpike does not have. Update turnpike',
    ],
    [
      { KeyStores: 1 },
      'plugin acme was written for version 1 of the contract KeyStores, which this turnpike does not have. Update turnpike, or write KeyStore if that was meant',
    ],
    [
      { Providers: '1' },
      'plugin acme has a bad `contracts.Providers`: expected the version that the plugin was written for, such as 1, got "1"',
    ],
    [
      { Providers: 0 },
      'plugin acme has a bad `contracts.Providers`: expected the version that the plugin was written for, such as 1, got 0',
    ],
    [
      ['Providers'],
      'plugin acme has a bad `contracts`: expected versions by the names of contracts, such as { Providers: 1 }, got ["Providers"]',
    ],
  ] as const)
    await t.rejects(setUp(plugin('acme', stated)), { name: 'PluginError', message })
})

t.test('an older plugin is told apart from an older gateway', async t => {
  const providers = contractOf(front.Providers)! as { version: number }
  providers.version = 3
  t.teardown(() => (providers.version = 1))
  await t.rejects(setUp(plugin('acme', { Providers: 2 })), {
    message: 'plugin acme was written for version 2 of the contract Providers, and this turnpike has version 3. Update the plugin',
  })
})

t.test('a contract can take earlier versions, too', async t => {
  const providers = contractOf(front.Providers)! as { version: number; oldest?: number }
  Object.assign(providers, { version: 3, oldest: 2 })
  t.teardown(() => {
    providers.version = 1
    delete providers.oldest
  })
  t.same(await setUp(plugin('current', { Providers: 3 }), plugin('careless')), [])
  const [warning, ...rest] = await setUp(plugin('current', { Providers: 3 }), plugin('acme', { Providers: 2, Routes: 1 }))
  t.same(rest, [])
  t.match(warning, {
    level: 'warn',
    message: 'plugins use earlier versions of contracts: they load until the next major version of turnpike. Update the plugins',
    uses: ['acme: Providers 2, now 3'],
  })
  for (const [version, remedy] of [
    [1, 'Update the plugin'],
    [4, 'Update turnpike'],
  ] as const)
    await t.rejects(setUp(plugin('acme', { Providers: version })), {
      message: `plugin acme was written for version ${version} of the contract Providers, and this turnpike takes versions 2 to 3. ${remedy}`,
    })
})

t.test('a plugin that was built with an earlier turnpike-sdk gets the contract of today, if that takes its version', async t => {
  const background = contractOf(stores.BackgroundStore)! as { version: number; oldest?: number }
  const earlier = token<stores.BackgroundStore>('background-store@1')
  const methods = ['create', 'claim', 'renew', 'append', 'finish', 'find', 'events', 'cancel', 'delete', 'running', 'expire', 'prune']
  const store = new Proxy({} as stores.BackgroundStore, { get: (_, name) => (name === 'then' ? undefined : async () => methods) })
  const shelf = definePlugin({ name: 'shelf', options: none, provides: [earlier], setup: gateway => gateway.provide(earlier, store) })
  await t.rejects(setUp(shelf({})), {
    message: 'plugin shelf was written for version 1 of the contract BackgroundStore, and this turnpike has version 2. Update the plugin',
  })
  background.oldest = 1
  t.teardown(() => delete background.oldest)
  let got = 0
  const needs = { current: stores.BackgroundStore, earlier }
  const reader = definePlugin({
    name: 'reader',
    options: none,
    needs,
    setup: (_, __, { current, earlier }) => void (got = current === earlier ? 1 : 2),
  })
  const warnings = await setUp(reader({}), shelf({}))
  t.equal(got, 1, 'both names lead to it, and it is set up first')
  t.match(warnings.at(-1), { uses: ['shelf: BackgroundStore 1, now 2', 'reader: BackgroundStore 1, now 2'] })
})

t.test('the contracts of all plugins are checked before any is set up', async t => {
  let setUps = 0
  const first = plugin('first', undefined, () => void setUps++)
  await t.rejects(setUp(first, plugin('acme', { Providers: 2 }), plugin('other', { Telescopes: 1 })), {
    message: /^plugin acme was written for [^\n]*\nplugin other was written for [^\n]*$/,
  })
  t.equal(setUps, 0)
})

t.test('one warning names the plugins that use experimental contracts without saying so', async t => {
  const [warning, ...rest] = await setUp(
    plugin('pages', undefined, addPage),
    plugin('host', { DashboardPages: 1 }, gateway => gateway.add(adminDoor.AdminHosts, { name: 'admin.example.com' })),
    plugin('stable', undefined, gateway => gateway.add(front.AbsentProviders, { id: 'acme', remedy: 'set ACME_KEY' })),
    plugin('settled', undefined, gateway => gateway.add(front.Providers, { id: 'acme', async *generate() {} })),
  )
  t.same(rest, [])
  t.match(warning, {
    level: 'warn',
    message: /^plugins use experimental contracts: any release may change them\./,
    uses: ['pages: DashboardPages', 'host: AdminHosts', 'stable: AbsentProviders'],
  })
})

t.test('a plugin that names the experimental contract is not warned about', async t => {
  t.same(await setUp(plugin('pages', { DashboardPages: 1 }, addPage)), [])
})

t.test('the plugins of this package are not warned about', async t => {
  const absent = absentProviders({ providers: [{ id: 'acme', remedy: 'set ACME_KEY' }] })
  const { stop, logs } = await gateway({ plugins: [admin({}), dashboard({}), absent] })
  t.teardown(stop)
  t.same(
    logs.filter(line => line.includes('experimental')),
    [],
  )
})
