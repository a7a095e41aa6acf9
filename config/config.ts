import type { PluginEntry } from '../core/framework/plugin-entries.ts'
import type { ServerInput } from './schema.ts'

/** The default export of `gateway.config.ts`. */
export interface GatewayConfig {
  /** Configs to start from: files, such as `./base.ts`, and packages. This config adds to them and replaces what it names. */
  readonly extends?: string | readonly string[]
  /** Addresses, limits and timeouts. Default: docs/configuration.md. */
  readonly server?: ServerInput
  /** Set up in this order, except that a plugin comes after those that provide what it needs. */
  readonly plugins: readonly PluginEntry[]
}

/** Returns the config unchanged. It provides types, and handles promises in `plugins` that are rejected before anyone awaits them. */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  const plugins: unknown = (config as Partial<GatewayConfig> | undefined)?.plugins
  if (Array.isArray(plugins)) void Promise.allSettled(plugins)
  return config
}
