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

/** Built into the library for service accounts and users, whatever their file says. */
const googleTokenUrl = 'https://oauth2.googleapis.com/token'

/** The client for these credentials from Google's library. Loads the library on first use: 0.1 s and 12 MB. */
export async function googleClient({ configuration }: GoogleCredentials, tokenUrl: string | undefined): Promise<AuthClient> {
  if (configuration) return clientOf(configuration, tokenUrl)
  const { Compute } = await import('google-auth-library')
  return new Compute({ scopes })
}

/** The credentials that the library finds, and their project. Asks the metadata server. */
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
      // Unlike the constructors above, this writes a warning about untrusted files to stderr.
      return new GoogleAuth({ scopes }).fromJSON(configuration)
  }
}

function redirected(tokenUrl: string): typeof fetch {
  return (input, init) => fetch(String(input instanceof Request ? input.url : input) === googleTokenUrl ? tokenUrl : input, init)
}
