import { defineCommand, type ArgsDef, type CommandContext, type CommandDef } from 'citty'
import { createGateway, type Gateway } from '../core/gateway.ts'
import { nearest, PluginError } from '../core/index.ts'
import { check } from '../core/plugin-host.ts'
import { SettingsError } from '../core/settings.ts'
import { trustCertificates } from './certificates.ts'
import { ConfigError, problemsOf } from './errors.ts'
import type { LoadedConfig } from './load.ts'

export const configArgument = {
  config: {
    type: 'string',
    alias: 'c',
    valueHint: 'file',
    description: 'The config. Default: gateway.config.ts, .js or .mjs in this folder.',
  },
} as const

/** A command that refuses options it does not know, and says what went wrong instead of showing where. */
export function command<const A extends ArgsDef>(
  name: string,
  description: string,
  args: A,
  run: (context: CommandContext<A>) => Promise<void>,
): CommandDef<A> {
  return defineCommand({
    meta: { name, description },
    args,
    async run(context) {
      try {
        refuseUnknown(context.rawArgs, args)
        await run(context)
      } catch (error) {
        process.exitCode = 1
        console.error(`turnpike: ${explain(error)}`)
      }
    },
  })
}

/** A gateway of this config; what keeps it from starting is told with the file's name. */
export async function openGateway(config: LoadedConfig, logLevel = config.server.logLevel): Promise<Gateway> {
  if (config.problems.length > 0) throw new ConfigError(config.file, [...config.problems, ...optionProblems(config)])
  try {
    if (config.server.extraCaFile !== undefined) trustCertificates(config.server.extraCaFile)
    return await createGateway({ plugins: config.plugins, settings: { ...config.server, logLevel } })
  } catch (error) {
    if (error instanceof PluginError || error instanceof AggregateError || error instanceof SettingsError)
      throw new ConfigError(config.file, problemsOf(error))
    throw error
  }
}

function optionProblems({ plugins }: LoadedConfig): readonly string[] {
  try {
    check(plugins)
    return []
  } catch (error) {
    return problemsOf(error)
  }
}

function refuseUnknown(rawArgs: readonly string[], args: ArgsDef): void {
  const known = new Map<string, boolean>()
  for (const [name, argument] of Object.entries(args)) {
    const isBoolean = argument.type === 'boolean'
    const aliases = 'alias' in argument ? [argument.alias ?? []].flat() : []
    for (const each of [name, ...aliases]) known.set(each, isBoolean)
    if (isBoolean) known.set(`no-${name}`, true)
  }
  for (let index = 0; index < rawArgs.length; index++) {
    const text = rawArgs[index]!
    const [, name, value] = /^--?([^=]+)(=.*)?$/s.exec(text) ?? []
    if (name === undefined) throw new ConfigError(undefined, [`"${text}" was not expected here. See --help.`])
    const isBoolean = known.get(name)
    if (isBoolean === undefined) {
      const near = nearest(name, known.keys())
      throw new ConfigError(undefined, [
        `--${name} is no option of this command. ${near.length > 0 ? `Did you mean --${near[0]}?` : 'See --help.'}`,
      ])
    }
    if (isBoolean || value !== undefined) continue
    index++
    if (rawArgs[index] === undefined) throw new ConfigError(undefined, [`--${name} needs a value.`])
  }
}

/** A mistake of the operator's is a message; anything else is ours, and comes with its stack. */
function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
