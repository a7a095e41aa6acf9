import { randomBytes } from 'node:crypto'
import type { Gateway } from '../../core/gateway.ts'
import { KeyStore, Ledger, MetricStore, RateLimiter, ResponseStore, Sealer } from '../../core/index.ts'
import { check } from '../../core/framework/plugin-host.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import type { LlmOptions } from '../../plugins/decisions/llm/client.ts'
import localSealer from '../../plugins/sealers/local/index.ts'
import memory from '../../plugins/stores/memory/index.ts'
import { ConfigError, problemsOf } from '../errors.ts'
import type { LoadedConfig } from '../load.ts'
import { openGateway } from '../open-gateway.ts'

const services = [KeyStore, Sealer, Ledger, RateLimiter, ResponseStore, MetricStore] as const

/**
 * The gateway of a config with all stores in memory, so that it changes no keys, credit or stored data. Its models answer with raw
 * probabilities, without temperatures.
 */
export async function openWorkbench(config: LoadedConfig): Promise<Gateway> {
  if (config.problems.length > 0) throw new ConfigError(config.file, config.problems)
  const plugins = [...statelessOf(config).map(withoutTemperatures), memory({}), localSealer({ masterKey: randomBytes(32).toString('hex') })]
  return await openGateway({ ...config, plugins }, { logLevel: 'error' })
}

function statelessOf({ file, plugins }: LoadedConfig): readonly PluginUse[] {
  try {
    const provided = check(plugins).map(({ provides }) => provides)
    return plugins.filter(
      ({ plugin }, index) => plugin.name !== 'console-log' && !services.some(service => provided[index]!.includes(service)),
    )
  } catch (error) {
    throw new ConfigError(file, problemsOf(error))
  }
}

function withoutTemperatures(use: PluginUse): PluginUse {
  if (use.plugin.name !== 'llm-decisions') return use
  const options = use.options as LlmOptions
  return { ...use, options: { ...options, models: options.models.map(({ temperature: _, ...model }) => model) } }
}
