import { definePlugin, type Options, type OptionsSchema, type Plugin } from './plugin.ts'
import type { PluginEntry } from './plugin-entries.ts'

/** A plugin that only lists plugins. */
export interface PresetDefinition<S> {
  /** In kebab-case. An add-on uses the name of its package. */
  readonly name: string
  readonly options: S
  /** The plugins, as a config lists them: lists, promises, empty values and other presets, too. */
  plugins(options: Options<S>): readonly PluginEntry[] | Promise<readonly PluginEntry[]>
}

/** Makes one plugin of a list of plugins. The config calls it with its options, as any plugin, and gets all of the list in its place. */
export function definePreset<const S extends OptionsSchema>({ name, options, plugins }: PresetDefinition<S>): Plugin<S> {
  return definePlugin({ name, options, lists: plugins as (options: unknown) => unknown, setup: () => {} })
}
