import type {
  AuthClient,
  AwsClientOptions,
  ExternalAccountClientOptions,
  IdentityPoolClientOptions,
  PluggableAuthClientOptions,
} from 'google-auth-library'
import type { Configuration, GoogleCredentials } from './credentials.ts'

/** The package that gets and renews tokens. */
export const authPackage = 'google-auth-library'

const scopes = ['https://www.googleapis.com/auth/cloud-platform']

/** What the library has built in for service accounts and users, whatever their file says. */
const googleTokenUrl = 'https://oauth2.googleapis.com/token'

/** The client of Google's own library for these credentials. Loads it: a tenth of a second and 12 MB, which only those pay who need it. */
export async function googleClient({ configuration }: GoogleCredentials, tokenUrl: string | undefined): Promise<AuthClient> {
  if (configuration) return clientOf(configuration, tokenUrl)
  const { Compute } = await import('google-auth-library')
  return new Compute({ scopes })
}

/** What the library finds by itself, and the project that it belongs to. Asks the metadata server. */
export async function defaultClient(): Promise<{ readonly client: AuthClient; readonly project: string | undefined }> {
  const { GoogleAuth } = await import('google-auth-library')
  const { credential, projectId } = await new GoogleAuth({ scopes }).getApplicationDefault()
  return { client: credential, project: projectId ?? undefined }
}

async function clientOf(configuration: Configuration, tokenUrl: string | undefined): Promise<AuthClient> {
  const { AwsClient, GoogleAuth, IdentityPoolClient, JWT, PluggableAuthClient, UserRefreshClient } = await import('google-auth-library')
  const transporterOptions = tokenUrl === undefined ? {} : { fetchImplementation: redirected(tokenUrl) }
  switch (configuration.type) {
    case 'service_account': {
      const client = new JWT({ scopes, transporterOptions })
      client.fromJSON(configuration)
      return client
    }
    case 'authorized_user': {
      const client = new UserRefreshClient({ transporterOptions })
      client.fromJSON(configuration)
      return client
    }
    case 'external_account': {
      const options: unknown = { ...configuration, ...(tokenUrl !== undefined && { token_url: tokenUrl }), scopes }
      const { environment_id, executable } = (
        options as ExternalAccountClientOptions & { credential_source: Readonly<Record<string, unknown>> }
      ).credential_source
      if (environment_id !== undefined) return new AwsClient(options as AwsClientOptions)
      return executable === undefined
        ? new IdentityPoolClient(options as IdentityPoolClientOptions)
        : new PluggableAuthClient(options as PluggableAuthClientOptions)
    }
    default:
      // Writes a line of caution about foreign files to stderr, which the constructors above do not.
      return new GoogleAuth({ scopes }).fromJSON(configuration)
  }
}

function redirected(tokenUrl: string): typeof fetch {
  return (input, init) => fetch(String(input instanceof Request ? input.url : input) === googleTokenUrl ? tokenUrl : input, init)
}
