import { PluginError, type Options } from '../../../core/index.ts'
import type { CredentialSources } from './credentials.ts'
import type { optionsSchema } from './options.ts'
import { profileAtStart } from './profile.ts'

export interface Connection {
  readonly sources: CredentialSources
  /** Undefined where nothing signs and the address is given. */
  readonly region: string | undefined
  /** Without a slash at the end. */
  readonly baseUrl: string
}

type GivenOptions = Pick<Options<typeof optionsSchema>, 'apiKey' | 'credentials' | 'profile' | 'region' | 'baseUrl'>

/** Where requests go and as whom, by the options, else by what the vendor's own tools look for in the environment. */
export function connectionOf(plugin: string, options: GivenOptions, environment: NodeJS.ProcessEnv): Connection {
  const sources = givenSources(options) ?? environmentSources(environment)
  if (!sources)
    throw new PluginError(
      plugin,
      'has no credentials: set the option apiKey, credentials or profile, or one of AWS_BEARER_TOKEN_BEDROCK, AWS_ACCESS_KEY_ID with AWS_SECRET_ACCESS_KEY, and AWS_PROFILE in the environment.',
    )
  const regionOfProfile = regionOfProfiles(plugin, sources)
  const region = options.region ?? (environment['AWS_REGION'] || environment['AWS_DEFAULT_REGION'] || regionOfProfile)
  const signs = (sources.accessKeys?.length ?? 0) + (sources.profiles?.length ?? 0) > 0
  if (!region && (signs || options.baseUrl === undefined))
    throw new PluginError(plugin, 'has no region: set the option region, or AWS_REGION in the environment, such as to "us-east-1".')
  const suffix = region?.startsWith('cn-') ? 'amazonaws.com.cn' : 'amazonaws.com'
  const baseUrl = options.baseUrl ?? `https://bedrock-runtime.${region}.${suffix}`
  return { sources, region, baseUrl: baseUrl.replace(/\/+$/, '') }
}

function givenSources({ apiKey, credentials, profile }: GivenOptions): CredentialSources | undefined {
  if (apiKey === undefined && credentials === undefined && profile === undefined) return undefined
  return {
    apiKey,
    accessKeys: credentials === undefined ? [] : [credentials].flat(),
    profiles: profile === undefined ? [] : [profile].flat(),
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
  return profile ? { profiles: [profile] } : undefined
}

/** Fails at start for a profile that is not there. */
function regionOfProfiles(plugin: string, { profiles = [] }: CredentialSources): string | undefined {
  const regions = profiles.map(name => {
    const profile = profileAtStart(name)
    if (profile) return profile.region
    throw new PluginError(
      plugin,
      `found no profile "${name}" in the AWS files of credentials and configuration. Add it, or change the option profile or AWS_PROFILE.`,
    )
  })
  return regions.find(region => region !== undefined)
}
