import type { Plugin, PluginUse } from '../framework/plugin.ts'

/** The plugins of this package that stand around a plugin under test. Loaded by the names under which everybody imports them. */
const names = ['turnpike/plugins/stores/memory', 'turnpike/plugins/sealers/local', 'turnpike/plugins/endpoints/responses']

const options: Readonly<Record<string, object>> = { 'local-sealer': { masterKey: 'ab'.repeat(32) } }

let loaded: Promise<readonly PluginUse[]> | undefined

/**
 * Stores in memory, a sealer, and the route of responses, except those that `own` has by the same names. They give way to whatever else
 * provides the same services.
 */
export async function companionsOf(own: readonly PluginUse[]): Promise<readonly PluginUse[]> {
  loaded ??= Promise.all(names.map(load))
  const taken = new Set(own.map(({ plugin }) => plugin?.name))
  return (await loaded).filter(({ plugin }) => !taken.has(plugin.name))
}

async function load(name: string): Promise<PluginUse> {
  const { default: make } = (await import(name)) as { readonly default: Plugin<unknown> }
  const { plugin } = (make as (options: object) => PluginUse)({})
  return { ...(make as (options: object) => PluginUse)(options[plugin.name] ?? {}), isDefault: true }
}

/** A plugin of this package without options, by the name under which everybody imports it. */
export async function ownPlugin(name: string): Promise<PluginUse> {
  const { default: make } = (await import(name)) as { readonly default: (options: object) => PluginUse }
  return make({})
}
