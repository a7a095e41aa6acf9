import assert from 'node:assert/strict'
import type { CatalogEntry, CatalogSource } from '../../contracts/catalog.ts'
import { CatalogSources } from '../../framework/extension-points.ts'
import { entriesOf } from '../../routing/source-entries.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import type { SuiteContext } from '../provider-suite.ts'
import { oddTexts, onEachPlugin } from './on-each-plugin.ts'

/** For `catalogSourceSuite`. */
export interface CatalogSourceSuiteOptions extends CallSuiteOptions {
  /** Makes the source of the plugin made last list something else. Without it, nothing tests that it tells of changes. */
  change?(): void | Promise<void>
  /** How long it may take to tell, in milliseconds. Default: 2000. */
  readonly tellMs?: number
}

/** Tests for every catalog source. */
export function catalogSourceSuite(t: SuiteContext, options: CatalogSourceSuiteOptions): void {
  const test = onEachPlugin(t, options, CatalogSources)
  test('lists models that a gateway accepts', async source => {
    for (const entry of entriesOf(source, source.name)) isSound(entry)
  })
  test('lists the same until something changes', async source => {
    const first = structuredClone(source.entries())
    assert.deepEqual(source.entries(), first)
  })
  test('no two entries have one name, and no model is twice at one provider', async source => isUnambiguous(source))
  test('its summary is one line', async ({ summary }) => {
    if (summary) assert.match(String(summary()), /^\S.*$/, 'the summary must be one line')
  })
  test('knows providers by any name', async source => knowsProviders(source))
  test('tells of changes', async source => tells(source, options))
}

function isSound({ model, aliases = [], created = 0, endpoints }: CatalogEntry): void {
  for (const name of [model, ...aliases]) assert.equal(name, name.trim(), `the name "${name}" has white space around it`)
  assert.ok(Number.isInteger(created) && created >= 0 && created < 1e11, `created of "${model}" is ${created}: expected seconds`)
  for (const { provider, upstreamModel, kind, contextWindow, maxOutputTokens, zdr, hipaa } of endpoints) {
    const where = `"${model}" at "${provider}"`
    assert.match(provider, /^[a-z0-9][a-z0-9._-]*$/, `${where}: expected the id of a provider`)
    if (upstreamModel !== undefined) assert.notEqual(upstreamModel, '', `${where} has an empty upstreamModel`)
    if (kind !== undefined) assert.ok(['decision', 'embedding', 'rerank'].includes(kind), `${where} has the kind ${kind}`)
    for (const tokens of [contextWindow, maxOutputTokens])
      if (tokens !== undefined) assert.ok(Number.isInteger(tokens), `${where} has ${tokens} tokens: expected a whole number`)
    if (zdr) assert.ok(URL.canParse(zdr.policy_url), `${where} has a bad zdr.policy_url`)
    if (hipaa) assert.ok(URL.canParse(hipaa.baa_url), `${where} has a bad hipaa.baa_url`)
  }
}

async function isUnambiguous(source: CatalogSource): Promise<void> {
  const owners = new Map<string, string>()
  for (const { model, aliases = [], endpoints } of source.entries()) {
    for (const name of [model, ...aliases]) {
      assert.ok(!owners.has(name), `the name "${name}" is that of "${owners.get(name)}" and of "${model}"`)
      owners.set(name, model)
    }
    const providers = endpoints.map(({ provider }) => provider)
    assert.equal(new Set(providers).size, providers.length, `"${model}" is twice at one provider`)
  }
}

async function knowsProviders(source: CatalogSource): Promise<void> {
  if (!source.providersOf) return
  const ask = (name: string): readonly string[] => {
    const found: unknown = source.providersOf!(name)
    assert.ok(Array.isArray(found) && found.every(each => typeof each === 'string'), `providersOf("${name.slice(0, 30)}"): expected ids`)
    return found as readonly string[]
  }
  for (const odd of oddTexts) assert.deepEqual(ask(odd), [], `nobody has the model "${odd.slice(0, 30)}"`)
  for (const { model, endpoints, remove } of source.entries().slice(0, 20)) {
    if (remove) continue
    const known = ask(model)
    for (const { provider, remove: isGone } of endpoints)
      if (!isGone) assert.ok(known.includes(provider), `providersOf("${model}") leaves out ${provider}`)
  }
}

async function tells(source: CatalogSource, { change, tellMs = 2_000 }: CatalogSourceSuiteOptions): Promise<void> {
  let told = 0
  source.onChange?.(() => void told++)
  assert.equal(told, 0, '`changed` is for changes after the start')
  if (!change) return
  const before = JSON.stringify(source.entries())
  await change()
  const deadline = performance.now() + tellMs
  while (told === 0 && performance.now() < deadline) await new Promise(resolve => setTimeout(resolve, 5))
  assert.ok(told > 0, `it must call \`changed\` within ${tellMs} ms after a change`)
  assert.notEqual(JSON.stringify(source.entries()), before, 'after `changed`, the entries must be the new ones')
}
