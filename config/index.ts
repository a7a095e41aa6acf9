// The imports of gateway.config.ts. Published as turnpike/config.

export { defineConfig, type GatewayConfig, type PluginEntry } from './config.ts'
export { defaults, type DefaultEntry, type DefaultsOptions } from './defaults.ts'
export { env, optionalEnv } from './env.ts'
export type { ServerInput } from './schema.ts'
