import { randomBytes } from 'node:crypto'
import type { Gateway } from '../core/gateway.ts'
import type { DecisionAnswer } from '../core/kit.ts'
import { KeyStore, Ledger, MetricStore, RateLimiter, ResponseStore, Sealer } from '../core/stores.ts'
import { check } from '../core/framework/checked-plugins.ts'
import type { PluginUse } from '../core/framework/plugin.ts'
import { distributionOf, type Judge } from '../plugins/decisions/llm/calibration/judging.ts'
import type { LlmOptions } from '../plugins/decisions/llm/client.ts'
import localSealer from '../plugins/sealers/local/index.ts'
import memory from '../plugins/stores/memory/index.ts'
import { ConfigError, problemsOf } from './errors.ts'
import type { LoadedConfig } from './load.ts'
import { openGateway } from './open-gateway.ts'

const services = [KeyStore, Sealer, Ledger, RateLimiter, ResponseStore, MetricStore] as const

/**
 * The gateway of a config, in memory: it creates and charges no key, and writes nothing to the stores. Its decision models answer without
 * temperatures.
 */
export async function openCalibrationGateway(config: LoadedConfig): Promise<Gateway> {
  if (config.problems.length > 0) throw new ConfigError(config.file, config.problems)
  const plugins = [...statelessOf(config).map(withoutTemperatures), memory({}), localSealer({ masterKey: randomBytes(32).toString('hex') })]
  return await openGateway({ ...config, plugins }, { logLevel: 'error' })
}

/** Asks a decision model over the gateway's API. `file` is the examples file, for messages. */
export async function judgeBy(gateway: Gateway, model: string, file: string): Promise<Judge> {
  const key = await gateway.issueKey({ name: 'calibration' })
  return async ({ line, state, question }) => {
    const reply = await gateway.http.h3.request('/v1/systemone', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, state, questions: { example: question } }),
    })
    const body = (await reply.json()) as {
      readonly answers?: { readonly example: DecisionAnswer }
      readonly detail?: { readonly message?: string }
    }
    if (!reply.ok || !body.answers)
      throw new ConfigError(file, [
        `line ${line}: ${model} gave no answer, status ${reply.status}: ${body.detail?.message ?? 'no message'}`,
      ])
    const probabilities = distributionOf(question, body.answers.example)
    if (!probabilities) throw new ConfigError(file, [`line ${line}: ${model} answered without probabilities, so it cannot be calibrated.`])
    return probabilities
  }
}

function statelessOf({ file, plugins }: LoadedConfig): readonly PluginUse[] {
  try {
    const provided = check(plugins).map(({ offers }) => offers)
    return plugins.filter(
      ({ plugin }, index) => plugin.name !== 'console-log' && !services.some(service => provided[index]!.includes(service)),
    )
  } catch (error) {
    throw new ConfigError(file, problemsOf(error))
  }
}

function withoutTemperatures(use: PluginUse): PluginUse {
  if (use.plugin.name !== 'llm-decisions') return use
  // Options as they stand in the config, without defaults.
  const { models = [], ...options } = use.options as Partial<LlmOptions>
  return { ...use, options: { ...options, models: models.map(({ temperature: _, ...model }) => model) } }
}
