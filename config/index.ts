// The imports of gateway.config.ts. Published as turnpike/config.

export type { PluginEntry } from '../core/framework/plugin-entries.ts'
export { defineConfig, type GatewayConfig } from './config.ts'
export { defaults, type DefaultEntry, type DefaultsOptions } from './defaults.ts'
export { env, optionalEnv } from './env.ts'
export type { ServerInput } from './schema.ts'
