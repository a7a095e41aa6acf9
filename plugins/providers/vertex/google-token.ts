import type { AuthClient } from 'google-auth-library'
import type { Clock } from '../../../core/index.ts'
import { RenewedCredential } from '../../../core/kit.ts'

export type AuthorizationHeaders = Readonly<Record<string, string>>

/** The headers that authorize a request, from Google's library. `open` loads it. `keep` receives every new token. */
export function googleToken(
  open: () => Promise<AuthClient>,
  clock: Pick<Clock, 'now'>,
  keep: (secret: string, expiresAtMs: number | undefined) => void,
): RenewedCredential<AuthorizationHeaders> {
  let opened: Promise<AuthClient> | undefined
  return new RenewedCredential({
    vendor: 'Google',
    advice: 'Check the option credentials.',
    clock,
    keep,
    async ask() {
      const client = await (opened ??= open())
      const headers: AuthorizationHeaders = Object.fromEntries(await client.getRequestHeaders())
      const expiresAtMs = client.credentials.expiry_date ?? undefined
      return { value: headers, expiresAtMs, secrets: [headers['authorization']?.replace(/^Bearer /, '') ?? ''] }
    },
  })
}
