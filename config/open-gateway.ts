import { createGateway, type Gateway } from '../core/gateway.ts'
import type { Siblings } from '../core/contracts/siblings.ts'
import { AssemblyError } from '../core/foundation/errors.ts'
import type { JsonObject } from '../core/index.ts'
import type { Lens } from '../core/framework/lens.ts'
import { KeyTextError } from '../core/provider-kit/key-text.ts'
import { knownPlugins } from '../core/framework/option-places.ts'
import { check } from '../core/framework/checked-plugins.ts'
import { optionFacts, originIn, type OptionOrigin } from '../core/server/admin/facts.ts'
import { servedCertificate, trustCertificates } from './certificates.ts'
import { optionalEnv, readVariables } from './env.ts'
import { ConfigError, problemsOf } from './errors.ts'
import type { LoadedConfig } from './load.ts'
import { packagePlugins } from './package-plugins.ts'
import { processMasks } from './process-output.ts'
import { serverSchema } from './schema.ts'

interface OpenOptions {
  readonly logLevel?: LoadedConfig['server']['logLevel']
  /** False for commands that only look: see `Registrar.createFiles`. */
  readonly createFiles?: boolean
  /** See `Registrar.lookOnly`. */
  readonly lookOnly?: boolean
  /** See `Registrar.serves`. */
  readonly serves?: boolean
  /** In every line of the log. */
  readonly logFields?: JsonObject
  /** The other workers. */
  readonly siblings?: Siblings
  /** Looks at what plugins do. */
  readonly lens?: Lens | undefined
  /** Takes each finished line of the log. */
  readonly writeLog?: (line: string) => void
  /** See `GatewayOptions.showsExceptions`. */
  readonly showsExceptions?: boolean
}

/** Sets up and starts the gateway of a config. Throws a `ConfigError` that names the file and every problem. */
export async function openGateway(
  config: LoadedConfig,
  {
    logLevel = config.server.logLevel,
    createFiles = true,
    lookOnly = false,
    serves,
    logFields,
    siblings,
    lens,
    writeLog,
    showsExceptions,
  }: OpenOptions = {},
): Promise<Gateway> {
  const { file, folder, plugins, problems, server, given, overridden } = config
  if (problems.length > 0) throw new ConfigError(file, [...problems, ...(await optionProblems(config))])
  const variables = readVariables()
  const originOf = (name: string, value: unknown): OptionOrigin =>
    overridden.includes(name) ? { source: 'command-line' } : given.includes(name) ? originIn(variables, value) : { source: 'default' }
  try {
    if (server.extraCaFile !== undefined) trustCertificates(server.extraCaFile)
    return await createGateway({
      plugins,
      settings: { ...server, logLevel },
      settingFacts: optionFacts(server, serverSchema, originOf),
      variables,
      masks: processMasks,
      certificate: () => server.tls && servedCertificate(server.tls.cert),
      adminToken: givenAdminToken(),
      folder,
      createFiles,
      lookOnly,
      serves,
      logFields,
      siblings,
      lens,
      ...(writeLog && { writeLog }),
      ...(showsExceptions !== undefined && { showsExceptions }),
    })
  } catch (error) {
    if (error instanceof AssemblyError || error instanceof AggregateError)
      throw new ConfigError(
        file,
        (await placedProblems(config, error)).map(problem => withVariable(problem, error, variables)),
      )
    throw error
  }
}

/** The plugin knows only its option. */
function withVariable(problem: string, { cause }: Error, variables: ReadonlyMap<string, string>): string {
  const names = cause instanceof KeyTextError ? cause.namesIn(variables) : []
  return names.length === 0 ? problem : `${problem}. It is the value of ${names.join(' and ')}`
}

const shortestAdminToken = 32

function givenAdminToken(): string | undefined {
  const token = optionalEnv('GATEWAY_ADMIN_TOKEN')
  if (token === undefined) return undefined
  if (token.length >= shortestAdminToken && /^\S+$/.test(token)) return token
  throw new AssemblyError(
    `GATEWAY_ADMIN_TOKEN must have at least ${shortestAdminToken} characters and no white space. Make one with: openssl rand -hex 32`,
  )
}

/** The problems of the options with the right place of each that is in a wrong one, if those are the problems. */
async function placedProblems(config: LoadedConfig, error: Error): Promise<readonly string[]> {
  const found = problemsOf(error)
  if (!found.some(problem => problem.includes('unknown option'))) return found
  const placed = await optionProblems(config)
  return placed.length > 0 ? placed : found
}

async function optionProblems({ plugins }: LoadedConfig): Promise<readonly string[]> {
  const others = await packagePlugins()
  try {
    check(plugins, { server: serverSchema, plugins: [...knownPlugins(plugins), ...others] })
    return []
  } catch (error) {
    return problemsOf(error)
  }
}
