import type { PluginUse } from '../core/index.ts'
import type { ServerInput } from './schema.ts'

/** The default export of `gateway.config.ts`. */
export interface GatewayConfig {
  readonly server?: ServerInput
  /** Set up in this order, except that a plugin comes after those that provide what it needs. */
  readonly plugins: readonly PluginEntry[]
}

/** A plugin, a list of plugins, or a promise of either. Falsy values are skipped: `process.env.X && plugin({})`. */
export type PluginEntry = PluginUse | readonly PluginEntry[] | Promise<PluginEntry> | '' | false | null | undefined

/** Returns the config unchanged. It provides types, and handles promises in `plugins` that are rejected before anyone awaits them. */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  const plugins: unknown = (config as Partial<GatewayConfig> | undefined)?.plugins
  if (Array.isArray(plugins)) void Promise.allSettled(plugins)
  return config
}
