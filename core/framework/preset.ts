import type { PluginEntry } from './plugin-entries.ts'
import { definePlugin, type Options, type OptionsSchema, type Plugin } from './plugin.ts'

/**
 * Makes one plugin from a list of plugins. A config calls it with options, like any plugin, and gets the whole list in its place.
 * `plugins`: as a config lists them, with lists, promises, empty values and other presets, too.
 */
export function definePreset<const S extends OptionsSchema>({
  name,
  options,
  plugins,
}: {
  /** In kebab-case. An add-on uses the name of its package. */
  readonly name: string
  readonly options: S
  plugins(options: Options<S>): readonly PluginEntry[] | Promise<readonly PluginEntry[]>
}): Plugin<S> {
  return definePlugin({ name, options, lists: plugins as (options: unknown) => unknown, setup: () => {} })
}
