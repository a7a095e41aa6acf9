import type { TokenCredential } from '@azure/identity'
import { ProviderFailure, type Clock } from '../../../core/index.ts'
import { RenewedCredential } from '../../../core/kit.ts'
import type { EntraOption } from './entra-option.ts'

/** The package that gets and renews tokens. Not needed for keys. */
export const identityPackage = '@azure/identity'

/** Access tokens from Microsoft's library, which loads on first use. `keep` receives every new token. */
export function entraToken(
  option: EntraOption,
  clock: Pick<Clock, 'now'>,
  keep: (secret: string, expiresAtMs: number | undefined) => void,
): RenewedCredential<string> {
  let credential: Promise<TokenCredential> | undefined
  return new RenewedCredential({
    vendor: 'Microsoft Entra',
    advice: 'Check the option entra.',
    clock,
    keep,
    async ask() {
      credential ??= credentialFor(option)
      const granted = await (await credential).getToken(option.scope)
      if (!granted) throw new ProviderFailure({ kind: 'auth', message: 'Microsoft Entra did not grant a token. Check the option entra.' })
      const { token, expiresOnTimestamp: expiresAtMs, refreshAfterTimestamp: renewAtMs } = granted
      return { value: token, expiresAtMs, renewAtMs, secrets: [token] }
    },
  })
}

async function credentialFor(option: EntraOption): Promise<TokenCredential> {
  const identity = await import('@azure/identity')
  const { clientSecret, certificate, certificateFile, tokenFile, managedIdentity } = option
  const { tenantId = '', clientId = '' } = option
  const authority = authorityOptions(option.authority ?? process.env['AZURE_AUTHORITY_HOST'], Object.values(identity.AzureAuthorityHosts))
  if (clientSecret !== undefined) return new identity.ClientSecretCredential(tenantId, clientId, clientSecret, authority)
  if (certificate !== undefined) return new identity.ClientCertificateCredential(tenantId, clientId, { certificate }, authority)
  if (certificateFile !== undefined) return new identity.ClientCertificateCredential(tenantId, clientId, certificateFile, authority)
  if (tokenFile !== undefined)
    return new identity.WorkloadIdentityCredential({ tenantId, clientId, tokenFilePath: tokenFile, ...authority })
  if (managedIdentity) return new identity.ManagedIdentityCredential(clientId ? { clientId } : {})
  return new identity.DefaultAzureCredential({
    ...authority,
    ...(tenantId && { tenantId }),
    ...(clientId && { managedIdentityClientId: clientId, workloadIdentityClientId: clientId }),
  })
}

/** Only Microsoft's clouds support instance discovery, so it is off for other authorities. */
function authorityOptions(
  authority: string | undefined,
  known: readonly string[],
): { authorityHost?: string; disableInstanceDiscovery?: boolean } {
  if (!authority) return {}
  const host = authority.replace(/\/+$/, '')
  return { authorityHost: host, disableInstanceDiscovery: !known.includes(host) }
}
