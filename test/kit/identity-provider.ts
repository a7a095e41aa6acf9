import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface IdentityProvider {
  readonly issuer: string
  /** Opens an address there as a browser in which this person signs in, and returns where the browser is sent in the end. */
  signIn(address: string, person: string): Promise<string>
  /** From now on, it publishes another key than the one with which it signs. */
  publishAnotherKey(): void
  stop(): void
}

interface Account {
  readonly name: string
  readonly groups?: unknown
}

/** A real OpenID provider on loopback: oidc-provider. Everybody in `people` is signed in without a password. */
export async function identityProvider(
  client: { readonly id: string; readonly secret: string; readonly redirectUrl: string },
  people: Readonly<Record<string, Account>>,
): Promise<IdentityProvider> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  // It comes without types.
  const { Provider } = (await import('oidc-provider' as string)) as { readonly Provider: new (issuer: string, options: object) => any }
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [client.redirectUrl] }],
    claims: { openid: ['sub'], profile: ['name'], groups: ['groups'] },
    cookies: { keys: ['demo'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id, ...people[id] }) }),
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'demo' }] },
    async loadExistingGrant({ oidc }: any) {
      const grant = new provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid profile groups')
      await grant.save()
      return grant
    },
    ttl: { AccessToken: 600, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
  })
  const serve = provider.callback() as (request: IncomingMessage, response: ServerResponse) => void
  let published: string | undefined
  server.on('request', (request, response) => {
    const person = request.headers['x-person']
    if (published && request.url === '/jwks') return void response.setHeader('content-type', 'application/json').end(published)
    if (!request.url!.startsWith('/interaction/')) serve(request, response)
    else if (person === 'nobody') provider.interactionFinished(request, response, { error: 'access_denied' })
    else provider.interactionFinished(request, response, { login: { accountId: person } })
  })
  return {
    issuer,
    async signIn(address, person) {
      const cookies = new Map<string, string>()
      let next = address
      while (next.startsWith(issuer)) {
        const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
        const reply = await fetch(next, { redirect: 'manual', headers: { cookie, 'x-person': person } })
        for (const each of reply.headers.getSetCookie()) {
          const [, name, value] = /^([^=]+)=([^;]*)/.exec(each)!
          cookies.set(name!, value!)
        }
        const location = reply.headers.get('location')
        if (location === null) throw new Error(`the provider answered ${reply.status}: ${await reply.text()}`)
        next = new URL(location, issuer).href
      }
      return next
    },
    publishAnotherKey() {
      const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
      published = JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig', kid: 'demo' }] })
    },
    stop: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
