import type { PluginUse } from '../core/index.ts'
import type { ServerInput } from './schema.ts'

/** What `gateway.config.ts` exports by default. */
export interface GatewayConfig {
  readonly server?: ServerInput
  /** Set up in this order, save that a plugin comes after those that provide what it needs. */
  readonly plugins: readonly PluginEntry[]
}

/** A plugin, a list of them, or a promise of either. Nothing stands for no plugin: `process.env.X && plugin({})`. */
export type PluginEntry = PluginUse | readonly PluginEntry[] | Promise<PluginEntry> | '' | false | null | undefined

/** Gives the config its types; returns it as it is. */
export function defineConfig(config: GatewayConfig): GatewayConfig {
  return config
}
