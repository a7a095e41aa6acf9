import type { CatalogEntry, CatalogSource } from '../contracts/catalog.ts'
import { PluginError } from '../foundation/errors.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { thrownMessage } from '../foundation/thrown-message.ts'
import { optional, show, shapeProblem, texts, type Member, type Shape } from '../framework/shape.ts'
import { priceProblem } from './price-problem.ts'

/** Throws a `PluginError` if the source throws or does not return a list of entries, which is a mistake of the plugin. */
export function entriesOf(source: CatalogSource, plugin: string): readonly CatalogEntry[] {
  const entries = asked(source, plugin, () => source.entries()) as unknown
  const problem = Array.isArray(entries) ? firstProblem(entries) : `: expected an array, got ${show(entries)}`
  if (problem === undefined) return entries as readonly CatalogEntry[]
  throw new PluginError(plugin, `returns bad entries from its catalog source "${source.name}"${problem}`)
}

/** Asks a source. An error becomes a `PluginError` that names the plugin and the source. */
export function asked<T>({ name }: CatalogSource, plugin: string, ask: () => T): T {
  try {
    return ask()
  } catch (cause) {
    throw new PluginError(plugin, `failed in its catalog source "${name}": ${thrownMessage(cause)}`, { cause })
  }
}

function firstProblem(entries: readonly unknown[]): string | undefined {
  for (let index = 0; index < entries.length; index++) {
    const problem = entryProblem(entries[index], index)
    if (problem !== undefined) return problem
  }
  return undefined
}

function entryProblem(entry: unknown, index: number): string | undefined {
  if (!isObject(entry)) return `: expected { model, endpoints: [{ provider }] } in [${index}], got ${show(entry)}`
  const { model, endpoints, aliases } = entry
  if (typeof model !== 'string' || model === '') return `: expected the name of a model in [${index}].model, got ${show(model)}`
  if (aliases !== undefined && !texts.accepts(aliases))
    return `: expected ${texts.expected} in \`aliases\` of "${model}", got ${show(aliases)}`
  if (!Array.isArray(endpoints)) return `: expected an array in \`endpoints\` of "${model}", got ${show(endpoints)}`
  for (const endpoint of endpoints as readonly unknown[]) {
    const problem = endpointProblem(endpoint)
    if (problem === undefined) continue
    const provider =
      isObject(endpoint) && typeof endpoint['provider'] === 'string' ? `"${model}" at "${endpoint['provider']}"` : `"${model}"`
    return `: ${provider} has an endpoint${problem}`
  }
  return undefined
}

const tokens: Member = { expected: 'a number of tokens above 0', accepts: value => typeof value === 'number' && value > 0 }
const endpointShape: Shape = {
  provider: { expected: "a provider's id", accepts: value => typeof value === 'string' },
  contextWindow: optional(tokens),
  maxOutputTokens: optional(tokens),
  capabilities: optional({ expected: 'an object', accepts: isObject }),
}

function endpointProblem(endpoint: unknown): string | undefined {
  return shapeProblem(endpoint, endpointShape) ?? pricedProblem(endpoint as JsonObject)
}

function pricedProblem({ price }: JsonObject): string | undefined {
  return price === undefined ? undefined : priceProblem(price)
}
