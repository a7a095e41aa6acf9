import t from 'tap'
import { definePlugin, ProviderFailure, Providers, type GenerationEvent, type ProviderCall } from '../../../core/index.ts'
import { vendorSuite } from '../../../core/testing/index.ts'
import anthropic from '../../../plugins/providers/anthropic/index.ts'
import { complaints } from './complaints.ts'

const apiKey = 'sk-demo-4711-vendor'
type Generate = (baseUrl: string, call: ProviderCall) => AsyncIterable<GenerationEvent>

/** The mistakes of a provider that is written by hand. */
function found(generate: Generate): Promise<readonly string[]> {
  const demo = definePlugin({
    name: 'demo-provider',
    options: {
      type: 'object',
      additionalProperties: false,
      properties: { baseUrl: { type: 'string' }, apiKey: { type: 'string', writeOnly: true } },
    },
    setup: (gateway, { baseUrl }) => gateway.add(Providers, { id: 'demo', generate: call => generate(baseUrl!, call) }),
  })
  return complaints(suite => vendorSuite(suite, { plugin: baseUrl => demo({ baseUrl, apiKey }), stopMs: 200 }))
}

t.test('the suite accepts a provider that keeps its contract', async t => {
  t.same(await complaints(suite => vendorSuite(suite, { plugin: baseUrl => anthropic({ baseUrl, apiKey }) })), [])
})

t.test('the suite notices a provider that takes every reply for an answer', async t => {
  const names = await found(async function* (baseUrl, { signal }) {
    yield { type: 'text', text: await (await fetch(baseUrl, { signal })).text() }
    yield { type: 'finish', reason: 'stop' }
  })
  for (const name of ["a vendor's error becomes an error for the caller", 'nothing else is taken for an answer'])
    t.ok(names.includes(name), name)
})

t.test('the suite notices a provider that throws what it finds', async t => {
  const names = await found(async function* (baseUrl, { signal }) {
    const { choices } = (await (await fetch(baseUrl, { signal })).json()) as { readonly choices: readonly { readonly text: string }[] }
    yield { type: 'text', text: choices[0]!.text }
    yield { type: 'finish', reason: 'stop' }
  })
  t.ok(names.includes('nothing else is taken for an answer'))
})

t.test('the suite notices a provider that tells its key, and one that goes on without its caller', async t => {
  const telling = await found(async function* (baseUrl, { signal }) {
    yield* []
    const { status } = await fetch(baseUrl, { signal }).catch(() => ({ status: 0 }))
    throw new ProviderFailure({ kind: 'unavailable', message: `status ${status} with ${apiKey}`, status: status || undefined })
  })
  t.ok(telling.length === 0, 'secrets of options are masked by core')
  const staying = await found(async function* (baseUrl) {
    yield* []
    const { status } = await fetch(baseUrl).catch(() => ({ status: 0 }))
    throw new ProviderFailure({ kind: 'unavailable', message: 'The vendor failed.', status: status || undefined })
  })
  t.ok(staying.includes('a caller who leaves also leaves the vendor'))
})
