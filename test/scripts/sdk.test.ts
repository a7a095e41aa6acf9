import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import t from 'tap'
import { Bill } from '../../core/billing/cost.ts'
import { isNoUsage, noUsage } from '../../core/contracts/events.ts'
import type { PluginUse } from '../../core/index.ts'
import * as ownKit from '../../core/kit.ts'
import { KeyTextError } from '../../core/provider-kit/key-text.ts'
import { basics, gateway } from '../kit/gateway.ts'

// Packages of a vendor, each with its own copy of turnpike-sdk, in a gateway that runs from source.

const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = realpathSync(mkdtempSync(join(tmpdir(), 'turnpike-sdk-')))
t.teardown(() => rmSync(folder, { recursive: true, force: true }))
const sdk = join(folder, 'sdk')
execFileSync(process.execPath, [join(root, 'scripts/build-sdk.js'), '--javascript-only', '--out', sdk], { stdio: 'inherit' })
mkdirSync(join(sdk, 'node_modules'))
for (const name of ['ajv', 'json-schema-to-ts']) symlinkSync(join(root, 'node_modules', name), join(sdk, 'node_modules', name))

/** Installs a plugin with a copy of its own, in which `change` has been made. */
function install(name: string, code: string, change: (source: string) => string = source => source): string {
  const place = join(folder, 'node_modules', name)
  const copy = join(place, 'node_modules/turnpike-sdk')
  cpSync(sdk, copy, { recursive: true, verbatimSymlinks: true })
  for (const file of ['package.json', ...globSync('{core,chunks}/**/*.js', { cwd: copy })])
    writeFileSync(join(copy, file), change(readFileSync(join(copy, file), 'utf8')))
  writeFileSync(join(place, 'package.json'), JSON.stringify({ name, version: '1.0.0', type: 'module', exports: './index.js' }))
  writeFileSync(join(place, 'index.js'), code)
  return place
}

function thrownBy(act: () => unknown): unknown {
  try {
    return act()
  } catch (error) {
    return error
  }
}

async function pluginIn(place: string, options: object = {}): Promise<PluginUse> {
  const { default: plugin } = (await import(pathToFileURL(join(place, 'index.js')).href)) as { default: (options: object) => PluginUse }
  return plugin(options)
}

const acme = install(
  'turnpike-plugin-acme',
  `
import { Clock, definePlugin, GatewayError, Guardrails, invalidRequest, PluginError, ProviderFailure, Providers, Routes } from 'turnpike-sdk'
import { bodyValidator, errorReply, GatewayServices, httpProvider, noUsage, wording } from 'turnpike-sdk/kit'
import { AuditTrail } from 'turnpike-sdk/stores'

const check = bodyValidator({ type: 'object', properties: { size: { type: 'integer' } }, additionalProperties: false })
const ways = {
  *answer() {
    yield { type: 'text', text: 'Hello' }
    yield { type: 'usage', usage: { ...noUsage, uncachedInput: 1, output: 1 } }
    yield { type: 'finish', reason: 'stop' }
  },
  busy() {
    throw new ProviderFailure({ kind: 'invalid-request', message: wording\`Acme cannot do this on \${'Friday'}.\` })
  },
  broken() {
    throw new PluginError('turnpike-plugin-acme', 'lost its way')
  },
}
export default definePlugin({
  name: 'turnpike-plugin-acme',
  options: { type: 'object', additionalProperties: false, properties: {} },
  needs: { clock: Clock, services: GatewayServices, providers: Providers },
  provides: [AuditTrail],
  setup(gateway, _, { clock, services, providers }) {
    gateway.provide(AuditTrail, { async add() {}, async page() { return [] } })
    gateway.add(Providers, {
      id: 'acme',
      async *generate({ endpoint }) { yield* ways[endpoint.model]() },
    })
    gateway.add(Providers, httpProvider('acme-http', {
      framing: 'sse',
      media: { images: 'inline', files: 'url' },
      prepare: () => ({ method: 'POST', url: 'nowhere', headers: {}, body: '' }),
      decoder: () => ({ frame() {} }),
      reply() {},
      failure: () => new ProviderFailure({ kind: 'unavailable' }),
    }, gateway.http, {}))
    gateway.add(Guardrails, {
      name: 'acme-words', enforces: [], onFailure: 'refuse', timeoutMs: 1_000, seesContent: 'local',
      open: () => ({
        input: ({ input }) => JSON.stringify(input).includes('forbidden') ? { refuse: invalidRequest(wording\`No "\${'forbidden'}" here.\`, 'input') } : { pass: true },
      }),
    })
    gateway.add(Routes, {
      method: 'POST', path: '/v1/acme', auth: 'key',
      async handle(exchange) {
        const body = await exchange.json()
        if (body.size === 0) throw new GatewayError({ status: 418, type: 'invalid_request_error', code: 'teapot', message: 'Short and stout.' })
        try {
          check(body)
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error
          return errorReply(error)
        }
        return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ at: typeof clock.now(), providers: providers.names() }) }
      },
    })
  },
})
`,
)

t.test('a plugin with its own copy serves requests, and its errors are understood', async t => {
  const {
    gateway: served,
    request,
    stop,
    logs,
  } = await gateway({
    plugins: [...basics(), await pluginIn(acme)],
    settings: { mediaHosts: ['127.0.0.1'] },
  })
  t.teardown(stop)
  const ask = async (path: string, body: object): Promise<object> => {
    const reply = await request(path, { body })
    return { status: reply.status, body: await reply.json() }
  }
  t.match(await ask('/v1/responses', { model: 'acme/answer', input: 'Hi' }), {
    status: 200,
    body: { output: [{ content: [{ text: 'Hello' }] }] },
  })
  t.match(await ask('/v1/responses', { model: 'acme/busy', input: 'Hi' }), {
    status: 400,
    body: { error: { message: /Acme cannot do this on Friday\./ } },
  })
  t.match(await ask('/v1/responses', { model: 'acme/broken', input: 'Hi' }), { status: 424 })
  t.ok(
    logs.some(line => line.includes('lost its way') && line.includes(join(acme, 'index.js'))),
    'the log has the reason and the place',
  )
  t.match(await ask('/v1/responses', { model: 'acme/answer', input: 'forbidden' }), {
    status: 400,
    body: { error: { message: 'No "forbidden" here.', param: 'input' } },
  })
  t.match(await ask('/v1/acme', { size: 0 }), { status: 418, body: { error: { message: 'Short and stout.', code: 'teapot' } } })
  t.match(await ask('/v1/acme', { size: 'big' }), { status: 400, body: { error: { param: 'size' } } })
  t.match(await ask('/v1/acme', { size: 1 }), { status: 200, body: { at: 'number', providers: ['sandbox', 'acme', 'acme-http'] } })
  t.match(await ask('/v1/responses', { model: 'acme-http/large', input: 'Hi' }), { status: 424 })
  t.ok(
    logs.some(line => /"plugin":"turnpike-plugin-acme".*returned from `prepare` a request/.test(line)),
    'a mistake of the adapter is that of its plugin',
  )
  const image = { type: 'input_image', image_url: 'http://127.0.0.1:1/nobody-listens.png' }
  t.match(await ask('/v1/responses', { model: 'acme-http/large', input: [{ role: 'user', content: [image] }] }), {
    status: 400,
    body: { error: { code: 'failed_to_download_image' } },
  })
  t.ok(served.contributions.some(({ name, plugin }) => name === 'acme-words' && plugin === 'turnpike-plugin-acme'))
})

t.test('what one copy makes, another one recognizes by its name', async t => {
  const kit = (await import(pathToFileURL(join(sdk, 'core/kit.js')).href)) as typeof ownKit
  t.ok(new kit.ThreadStopped() instanceof ownKit.ThreadStopped)
  t.ok(new ownKit.ThreadStopped() instanceof kit.ThreadStopped)
  t.not(kit.noUsage, noUsage)
  t.ok(isNoUsage(kit.noUsage) && isNoUsage(noUsage))
  t.notOk(isNoUsage({ ...kit.noUsage }), 'zeros that a vendor reported')
  t.ok(thrownBy(() => new kit.ApiKeys('sk-demo\n')) instanceof KeyTextError)
  const bill = new Bill()
  bill.include({ usage: kit.noUsage, costUsd: 0 })
  t.ok(isNoUsage(bill.usage))
})

t.test('a copy of another version works as long as its contracts have the same version', async t => {
  const empty = (member: string): string => `
import { definePlugin, Guardrails } from 'turnpike-sdk'
import { KeyStore } from 'turnpike-sdk/stores'
const options = { type: 'object', additionalProperties: false, properties: {} }
export default definePlugin({ name: 'turnpike-plugin-other', options, ${member} })`
  const adds = `setup(gateway) {
    gateway.add(Guardrails, { name: 'other', enforces: [], onFailure: 'allow', timeoutMs: 1, seesContent: 'local', open: () => undefined })
  }`
  const later = (source: string): string => source.replace('"version": "0.1.0"', '"version": "0.2.0"')
  const newer = (contract: string) => (source: string) =>
    later(source).replace(new RegExp(`(["'\`]${contract}["'\`],\\s*\\{\\s*version:\\s*)1`), '$12')
  const same = await gateway({ plugins: [...basics(), await pluginIn(install('turnpike-plugin-same', empty(adds), later))] })
  await same.stop()
  for (const [name, member, changed, contract] of [
    ['adds', adds, 'guardrails', 'Guardrails'],
    ['needs', 'needs: { keys: KeyStore }, setup() {}', 'key-store', 'KeyStore'],
    ['wants', 'wants: { keys: KeyStore }, setup() {}', 'key-store', 'KeyStore'],
    ['provides', 'provides: [KeyStore], setup() {}', 'key-store', 'KeyStore'],
    ['offers', 'offers: () => [KeyStore], setup() {}', 'key-store', 'KeyStore'],
  ] as const)
    await t.rejects(
      gateway({ plugins: [...basics(), await pluginIn(install(`turnpike-plugin-${name}`, empty(member), newer(changed)))] }),
      {
        name: 'PluginError',
        message: `plugin turnpike-plugin-other was written for version 2 of the contract ${contract}, and this turnpike has version 1. Update turnpike`,
      },
    )
})

t.test('check names the copies', async t => {
  writeFileSync(
    join(folder, 'gateway.config.mjs'),
    `import acme from 'turnpike-plugin-acme'
     import same from 'turnpike-plugin-same'
     import { defaults } from 'turnpike/config'
     export default { plugins: [...defaults(), acme({}), same({})] }`,
  )
  const { PATH, HOME } = process.env
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'bin/turnpike.js'), 'check'], {
    cwd: folder,
    env: { PATH, HOME },
    encoding: 'utf8',
  })
  const [, copies = ''] = /Copies of turnpike and turnpike-sdk\n((?: {2}.*\n)+)/.exec(stdout) ?? []
  t.equal(stderr, '')
  const rows = copies.trim().split(/\n */)
  t.match(
    rows,
    [
      `turnpike 0.1.0      ${root.replace(/\/$/, '')}`,
      `turnpike-sdk 0.1.0  ${join(acme, 'node_modules/turnpike-sdk')}`,
      `turnpike-sdk 0.2.0  ${join(folder, 'node_modules/turnpike-plugin-same/node_modules/turnpike-sdk')}`,
    ],
    stderr,
  )
  t.equal(rows.length, 3)
})

t.test('it has no server in it', async t => {
  const notices = readFileSync(join(sdk, 'THIRD-PARTY-NOTICES.txt'), 'utf8')
  t.notMatch(notices, /^## (h3|listhen|srvx|kysely|preact|undici|tsyringe|pino) /m)
  for (const file of globSync('**/*.js', { cwd: sdk, exclude: ['node_modules'] })) {
    const code = readFileSync(join(sdk, file), 'utf8')
    t.notMatch(code, /createServer|SELECT |Reflect\.metadata/, file)
  }
})
