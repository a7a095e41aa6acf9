/** A contribution with the plugin that added it. */
export interface RegistryEntry<T> {
  readonly name: string
  readonly contribution: T
  readonly plugin: string
}

/**
 * The contributions of plugins to one extension point, by name and in setup order. An interface without private members, because a plugin
 * and a config may have different copies of this package.
 */
export interface Registry<T> {
  /** The word used in errors, such as `provider`. */
  readonly kind: string
  /** For core: plugins call `gateway.add`. Throws a `PluginError` for a malformed contribution, a name that is taken, and anything after sealing. */
  add(contribution: T, plugin: string): void
  get(name: string): T | undefined
  names(): string[]
  values(): T[]
  entries(): readonly RegistryEntry<T>[]
  pluginOf(name: string): string | undefined
  /** The names that are most like this one. */
  nearest(name: string): readonly string[]
  /** For core: nothing can be added afterwards. */
  seal(): void
}
