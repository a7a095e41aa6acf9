import { globSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { conformanceReport, fakeUpstream, type ConformanceInputs } from '../../../core/testing/index.ts'
import staticSearch from '../../../plugins/engines/static/index.ts'
import localSealer from '../../../plugins/sealers/local/index.ts'
import { dmVendor } from '../../plugins/decisions/dm-vendor.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

interface Setup {
  readonly options?: object
  plugins?(): readonly PluginUse[]
  readonly inputs?: ConformanceInputs
  /** Suites that cannot run here. */
  readonly leftOut?: readonly string[]
}

/** The plugins that need more than their defaults. `vendor` decides, and `service` agrees to everything. */
const setups = (vendor: string, service: string): Readonly<Record<string, Setup>> => ({
  'catalogs/file': { options: { models: [{ model: 'demo', endpoints: [{ provider: 'acme', upstreamModel: 'd' }] }] } },
  'decisions/dm': { options: { baseUrl: vendor, apiKey: 'demo-key-4711' }, inputs: { DecisionClients: { models: ['dm', 'dm-1.13.0'] } } },
  'endpoints/conversations': {
    inputs: {
      Conversations: {
        create: async ({ request }) => ((await (await request('/v1/conversations', { body: {} })).json()) as { readonly id: string }).id,
      },
    },
  },
  'guardrails/redaction': { inputs: { Guardrails: { caught: ['ada@example.com'], passed: ['ada at example'] } } },
  'guardrails/webhook': { options: { url: service, onFailure: 'refuse', timeoutMs: 60_000 } },
  'guardrails/words': {
    options: { words: ['launch code'] },
    inputs: { Guardrails: { caught: ['launch code'], passed: ['launch', 'code'] } },
  },
  'logs/http': { options: { url: service } },
  // Their own tests run the other suites.
  'providers/anthropic': { options: { apiKey: 'sk-demo-4711-conformance' }, leftOut: ['providerSuite'] },
  'providers/openai-chat': {
    options: { host: 'compatible', baseUrl: service, id: 'demo', apiKey: 'sk-demo-4711-conformance' },
    leftOut: ['providerSuite'],
  },
  'sealers/local': {
    options: { masterKey: 'ab'.repeat(32) },
    inputs: { Sealer: { stranger: localSealer({ masterKey: 'cd'.repeat(32) }) } },
  },
  'telemetry/opentelemetry': { options: { endpoint: service } },
  'tools/web-search': {
    plugins: () => [staticSearch({})],
    inputs: {
      Tools: {
        examples: [
          { entry: { type: 'web_search' }, name: 'managed_web_search', arguments: { query: 'Turnpike' }, output: 'docs.example.com' },
        ],
      },
    },
  },
})

/** Plugins whose own tests run the suites, with servers and with examples of vendors that this test does not have. */
const tested = /^(stores|providers|engines|decisions|tools)\//

t.test('our own plugins pass the suites of their contracts', async t => {
  await using vendor = await fakeUpstream(dmVendor)
  await using service = await fakeUpstream(() => ({ headers: { 'content-type': 'application/json' }, body: '{"verdict":"allow"}' }))
  const rows = setups(vendor.url, service.url)
  for (const path of globSync('plugins/*/*/index.ts', { cwd: root }).sort()) {
    const name = path.split('/').slice(1, 3).join('/')
    if (tested.test(name) && !(name in rows)) continue
    await t.test(name, async t => {
      const { default: make } = (await import(join(root, path))) as { readonly default: (options: object) => PluginUse }
      const { options = {}, leftOut = [], ...row } = rows[name] ?? {}
      using _ = name === 'logs/console' ? quietly() : undefined
      const { suites } = await conformanceReport({ plugin: make(options), ...row })
      for (const { contract, suite, notRun, tests } of suites) {
        t.equal(notRun !== null, leftOut.includes(suite), `${contract}: ${suite}`)
        for (const test of tests) t.equal(test.result, 'passed', `${contract}: ${test.name}: ${test.message ?? ''}`)
      }
    })
  }
})

/** Keeps lines of JSON off standard output, where the results of tests are. */
function quietly(): Disposable {
  const { write } = process.stdout
  process.stdout.write = (text: string | Uint8Array, ...rest: unknown[]): boolean => {
    const written = rest.at(-1)
    if (!String(text).startsWith('{')) return Reflect.apply(write, process.stdout, [text, ...rest]) as boolean
    if (typeof written === 'function') written()
    return true
  }
  return { [Symbol.dispose]: () => void (process.stdout.write = write) }
}
