import { PluginError, type Options } from '../../../core/index.ts'
import type { CredentialSources } from './credentials.ts'
import type { optionsSchema } from './options.ts'
import { profileNamed } from './shared-files.ts'

export interface Connection {
  readonly sources: CredentialSources
  /** Absent if requests are not signed and `baseUrl` is set. */
  readonly region: string | undefined
  /** Without a trailing slash. */
  readonly baseUrl: string
}

type GivenOptions = Pick<Options<typeof optionsSchema>, 'apiKey' | 'credentials' | 'profile' | 'defaultChain' | 'region' | 'baseUrl'>

/** Where requests go, and with which credentials: from the options, else from the environment variables that the vendor's tools use. */
export async function connectionOf(plugin: string, options: GivenOptions, environment: NodeJS.ProcessEnv): Promise<Connection> {
  const sources = givenSources(options) ?? environmentSources(environment)
  if (!sources)
    throw new PluginError(
      plugin,
      'has no credentials: set the option apiKey, credentials, profile or defaultChain, or one of AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, and AWS_PROFILE in the environment.',
    )
  const regionOfProfile = await regionOfProfiles(plugin, sources, environment)
  const region = options.region ?? (environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || regionOfProfile)
  const signs = Boolean(sources.accessKeys?.length || sources.profiles?.length || sources.defaultChain)
  if (!region && (signs || options.baseUrl === undefined))
    throw new PluginError(plugin, 'has no region: set the option region, or AWS_REGION in the environment, such as to "us-east-1".')
  const suffix = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const baseUrl = options.baseUrl ?? `https://bedrock-runtime.${region}.${suffix}`
  return { sources, region, baseUrl: baseUrl.replace(/\/+$/, '') }
}

function givenSources({ apiKey, credentials, profile, defaultChain = false }: GivenOptions): CredentialSources | undefined {
  if (apiKey === undefined && credentials === undefined && profile === undefined && !defaultChain) return undefined
  return {
    apiKey,
    accessKeys: credentials === undefined ? [] : [credentials].flat(),
    profiles: profile === undefined ? [] : [profile].flat(),
    defaultChain,
  }
}

function environmentSources(environment: NodeJS.ProcessEnv): CredentialSources | undefined {
  const {
    AWS_BEARER_TOKEN_BEDROCK: apiKey,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_SESSION_TOKEN: sessionToken,
    AWS_PROFILE: profile,
  } = environment
  if (apiKey) return { apiKey }
  if (accessKeyId && secretAccessKey) return { accessKeys: [{ accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) }] }
  if (profile) return { profiles: [profile] }
  return namesMachineIdentity(environment) ? { defaultChain: true } : undefined
}

/** Set by clusters and containers. EC2 instances set nothing, so there the option is required. */
function namesMachineIdentity(environment: NodeJS.ProcessEnv): boolean {
  const isWebIdentity = environment['AWS_WEB_IDENTITY_TOKEN_FILE'] && environment['AWS_ROLE_ARN']
  return Boolean(
    isWebIdentity || environment['AWS_CONTAINER_CREDENTIALS_RELATIVE_URI'] || environment['AWS_CONTAINER_CREDENTIALS_FULL_URI'],
  )
}

/** Throws at startup if a profile is missing. */
async function regionOfProfiles(
  plugin: string,
  { profiles = [], defaultChain = false }: CredentialSources,
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const asked = await Promise.all(profiles.map(profileNamed))
  const missing = profiles.find((_, index) => asked[index] === undefined)
  if (missing !== undefined)
    throw new PluginError(
      plugin,
      `found no profile "${missing}" in the AWS credentials and config files. Add it, or change the option profile or AWS_PROFILE.`,
    )
  const found = defaultChain ? [...asked, await profileNamed(environment['AWS_PROFILE'] || 'default')] : asked
  return found.find(profile => profile?.region !== undefined)?.region
}
