import { AssemblyError, PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { thrownMessage } from '../foundation/thrown-message.ts'
import { isPending } from '../runtime/pending.ts'
import { lister } from './lister.ts'
import { check } from './checked-plugins.ts'
import { definitionOf, type Plugin, type PluginUse } from './plugin.ts'

/**
 * A plugin, a plugin without a call if it needs no options, a list of plugins, or a promise of any of them. Falsy values are skipped:
 * `process.env.X && plugin({})`.
 */
export type PluginEntry = PluginUse | Plugin<any> | readonly PluginEntry[] | Promise<PluginEntry> | '' | false | null | undefined

/** The presets around an entry, from the outside in, and where each preset was listed. */
interface Around {
  readonly presets: readonly string[]
  readonly listed: Map<string, string>
}

/** The plugins of a list, with each preset replaced by its plugins. `see` gets each one as soon as it is known. */
export async function pluginUses(
  entries: readonly unknown[],
  see: (use: PluginUse) => void = () => {},
  around: Around = { presets: [], listed: new Map() },
): Promise<readonly PluginUse[]> {
  const uses: PluginUse[] = []
  // At once: one may be rejected while another is awaited.
  const settling = entries.map((entry, index) => (isPending(entry) ? named(entry, index) : entry))
  void Promise.allSettled(settling)
  for (const [index, entry] of settling.entries()) {
    const settled = called(await entry)
    if (Array.isArray(settled)) {
      refusePair(settled, index)
      uses.push(...(await pluginUses(settled, see, around)))
    } else if (isPreset(settled)) {
      see(settled)
      uses.push(...(await listedBy(settled, see, around)))
    } else if (settled) {
      // Anything that is not a plugin is reported by the gateway when it checks the list.
      const from = around.presets.at(-1)
      const use = from === undefined || !isObject(settled) ? settled : { ...settled, from }
      uses.push(use as PluginUse)
      see(use as PluginUse)
    }
  }
  return uses
}

/** A plugin that was listed without a call, called. One that needs options stays as it is, and is reported. */
function called(entry: unknown): unknown {
  const definition = definitionOf(entry)
  return definition === undefined || (definition.options?.required ?? []).length > 0 ? entry : (entry as Plugin<any>)({})
}

function isPreset(entry: unknown): entry is PluginUse {
  return isObject(entry) && isObject(entry['plugin']) && typeof entry['plugin']['lists'] === 'function'
}

async function listedBy(use: PluginUse, see: (use: PluginUse) => void, { presets, listed }: Around): Promise<readonly PluginUse[]> {
  const [checked] = check([use])
  const { name, options, plugin } = checked!
  const place = lister(presets.at(-1))
  if (presets.includes(name)) {
    const loop = [...presets.slice(presets.indexOf(name)), name].join(' → ')
    throw new PluginError(name, `is a preset that lists itself: ${loop}. Remove it from one of these lists`)
  }
  const earlier = listed.get(name)
  if (earlier !== undefined) throw new PluginError(name, `is a preset that is listed twice: by ${earlier} and by ${place}. Remove one`)
  listed.set(name, place)
  const plugins: unknown = await plugin.lists!(options)
  if (!Array.isArray(plugins)) throw new PluginError(name, 'is a preset whose `plugins` returned no array. Expected: plugins: () => [...]')
  return await pluginUses(plugins, see, { presets: [...presets, name], listed })
}

/** The form of JSON and YAML, where a plugin cannot be called. */
function refusePair([first, second, ...others]: readonly unknown[], index: number): void {
  const definition = definitionOf(first)
  if (definition === undefined || others.length > 0 || !isObject(second) || 'apiVersion' in second) return
  const { name } = first as { readonly name: string }
  throw new PluginError(
    `#${index + 1} in \`plugins\``,
    `is the plugin ${definition.name} and its options in an array, as in JSON: call it instead: ${name}({ … })`,
  )
}

async function named(entry: PromiseLike<unknown>, index: number): Promise<unknown> {
  try {
    return await entry
  } catch (cause) {
    if (cause instanceof AssemblyError || cause instanceof AggregateError || (cause as Error)?.name === 'ConfigError') throw cause
    throw new Error(`#${index + 1} in \`plugins\` is a promise that was rejected: ${thrownMessage(cause)}`, { cause })
  }
}
