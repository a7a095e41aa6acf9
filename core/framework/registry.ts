/** A contribution with the plugin that added it. */
export interface RegistryEntry<T> {
  /** Its `name`, `id` or other key, by the extension point. */
  readonly name: string
  /** As the plugin added it, or as core wrapped it. */
  readonly contribution: T
  /** With its instance, such as `openai-chat(groq)`. */
  readonly plugin: string
}

/**
 * The contributions of plugins to one extension point, by name and in setup order. An interface without private members, because a plugin
 * and a config may have different copies of this package.
 */
export interface Registry<T> {
  /** The word used in errors, such as `provider`. */
  readonly kind: string
  /**
   * For core: plugins call `gateway.add`. Throws a `PluginError` for a malformed contribution, a name that is taken, and anything after sealing.
   * `lens`: what it returns is added in the place of the contribution.
   */
  add(contribution: T, plugin: string, lens?: (contribution: T) => T): void
  /** The first contribution of this name. Undefined if there is none. */
  get(name: string): T | undefined
  /** In setup order, each once. */
  names(): string[]
  /** In setup order. */
  values(): T[]
  /** In setup order. */
  entries(): readonly RegistryEntry<T>[]
  /** The plugin that added the first contribution of this name. */
  pluginOf(name: string): string | undefined
  /** The names that are most like this one. */
  nearest(name: string): readonly string[]
  /** For core: nothing can be added afterwards. */
  seal(): void
}
