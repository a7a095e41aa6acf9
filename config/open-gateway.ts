import { createGateway, type Gateway } from '../core/gateway.ts'
import { AssemblyError } from '../core/foundation/errors.ts'
import { check } from '../core/framework/plugin-host.ts'
import { trustCertificates } from './certificates.ts'
import { ConfigError, problemsOf } from './errors.ts'
import type { LoadedConfig } from './load.ts'

interface OpenOptions {
  readonly logLevel?: LoadedConfig['server']['logLevel']
  /** False for commands that only look: see `Registrar.createFiles`. */
  readonly createFiles?: boolean
}

/** Sets up and starts the gateway of a config. Throws a `ConfigError` that names the file and every problem. */
export async function openGateway(
  config: LoadedConfig,
  { logLevel = config.server.logLevel, createFiles = true }: OpenOptions = {},
): Promise<Gateway> {
  const { file, folder, plugins, problems, server } = config
  if (problems.length > 0) throw new ConfigError(file, [...problems, ...optionProblems(config)])
  try {
    if (server.extraCaFile !== undefined) trustCertificates(server.extraCaFile)
    return await createGateway({ plugins, settings: { ...server, logLevel }, folder, createFiles })
  } catch (error) {
    if (error instanceof AssemblyError || error instanceof AggregateError) throw new ConfigError(file, problemsOf(error))
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
