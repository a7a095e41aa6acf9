import type * as Client from 'openid-client'
import type { Clock, Logger, Options } from '../../../core/index.ts'
import { describeError } from '../../../core/kit.ts'
import type { Sealer } from '../../../core/stores.ts'
import { accessSchema, adminOf, valuesOf, type Person } from './access.ts'
import { cookieIn, isSecure } from './sessions.ts'

export const openIdSchema = {
  type: 'object',
  additionalProperties: false,
  required: ['issuer', 'clientId', 'publicUrl', 'claim', 'access'],
  properties: {
    issuer: {
      type: 'string',
      pattern: '^(https://|http://(localhost|127\\.0\\.0\\.1|\\[::1\\])[:/])',
      description: 'The URL of the identity provider: HTTPS, or HTTP on this machine.',
    },
    clientId: { type: 'string', minLength: 1, description: 'The id under which the dashboard is registered there.' },
    clientSecret: { type: 'string', minLength: 1, writeOnly: true, description: 'Its secret, if it has one.' },
    publicUrl: {
      type: 'string',
      pattern: '^https?://[^?#]+/$',
      description:
        'Where browsers find the dashboard, with a slash at the end. Register this URL with `openid-callback` added as redirect URI.',
    },
    name: { type: 'string', minLength: 1, description: 'The name of the provider on the button. Default: the host of the issuer.' },
    scope: { type: 'string', pattern: '(^| )openid( |$)', default: 'openid profile email', description: 'The scopes to request.' },
    claim: {
      type: 'string',
      minLength: 1,
      description: 'The claim that decides who may do what, such as `groups`. Dots lead to nested members: `realm_access.roles`.',
    },
    access: { ...accessSchema, description: 'Who may do what: the first entry whose value the claim has. Nobody else gets in.' },
  },
} as const
export type OpenIdOptions = Options<typeof openIdSchema>

/** Why somebody could not sign in. The app has a sentence for each. */
export type Refusal = 'no-access' | 'expired' | 'refused' | 'provider'

const callback = 'openid-callback'
const flowMs = 10 * 60_000
const context = { org: '', purpose: 'dashboard-openid' }

/** The sealed state that a browser keeps while its user is at the provider. */
interface Flow {
  readonly verifier: string
  readonly state: string
  readonly nonce: string
  readonly validUntil: number
}

interface Provider {
  readonly client: typeof Client
  readonly config: Client.Configuration
}

/** Signs people in with OpenID Connect: the authorization code flow with PKCE, state and nonce. */
export class OpenId {
  readonly name: string
  readonly #options: OpenIdOptions
  readonly #sealer: Sealer
  readonly #clock: Clock
  readonly #log: Logger
  #provider: Promise<Provider> | undefined

  constructor(options: OpenIdOptions, sealer: Sealer, clock: Clock, log: Logger) {
    this.#options = options
    this.#sealer = sealer
    this.#clock = clock
    this.#log = log
    this.name = options.name ?? new URL(options.issuer).host
  }

  /** The rights of a person by the current config. */
  adminOf(person: Person): ReturnType<typeof adminOf> {
    return adminOf(person, this.#options.access)
  }

  /** Sends the browser to the provider. */
  async start(request: Request, cookie: string): Promise<Response> {
    try {
      const { client, config } = await this.#connect()
      const flow: Flow = {
        verifier: client.randomPKCECodeVerifier(),
        state: client.randomState(),
        nonce: client.randomNonce(),
        validUntil: this.#clock.now() + flowMs,
      }
      const location = client.buildAuthorizationUrl(config, {
        redirect_uri: this.#redirectUrl,
        scope: this.#options.scope,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
        state: flow.state,
        nonce: flow.nonce,
      })
      const sealed = Buffer.from(this.#sealer.seal(context, Buffer.from(JSON.stringify(flow)))).toString('base64url')
      return redirect(location.href, flowCookie(request, cookie, sealed, flowMs / 1000))
    } catch (error) {
      this.#log.error('cannot reach the identity provider', { issuer: this.#options.issuer, ...describeError(error) })
      return refused('provider')
    }
  }

  /** The person whom the provider sent back, or the reason for a refusal. `clear` removes the cookie of the flow. */
  async finish(
    request: Request,
    cookie: string,
  ): Promise<{ readonly clear: string } & ({ readonly person: Person; readonly name: string } | { readonly refusal: Refusal })> {
    const clear = flowCookie(request, cookie, '', 0)
    const flow = this.#flowIn(request, cookie)
    if (!flow) return { clear, refusal: 'expired' }
    try {
      const { client, config } = await this.#connect()
      const { search, searchParams } = new URL(request.url)
      if (searchParams.has('error')) {
        this.#log.warn('the identity provider refused a sign-in', { error: searchParams.get('error')!.slice(0, 100) })
        return { clear, refusal: 'refused' }
      }
      const tokens = await client.authorizationCodeGrant(config, new URL(`${this.#redirectUrl}${search}`), {
        pkceCodeVerifier: flow.verifier,
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        idTokenExpected: true,
      })
      const claims = await this.#claims(client, config, tokens)
      const person = { subject: claims.sub, values: valuesOf(claims, this.#options.claim) }
      if (!this.adminOf(person)) {
        this.#log.warn('somebody without access signed in with OpenID Connect', { subject: claims.sub, claim: this.#options.claim })
        return { clear, refusal: 'no-access' }
      }
      return { clear, person, name: String(claims['name'] ?? claims['email'] ?? claims['preferred_username'] ?? claims.sub) }
    } catch (error) {
      this.#log.error('a sign-in with OpenID Connect failed', describeError(error))
      return { clear, refusal: 'provider' }
    }
  }

  get #redirectUrl(): string {
    return `${this.#options.publicUrl}${callback}`
  }

  /** Those of the id token. Some providers name groups only in the user info. */
  async #claims(
    client: typeof Client,
    config: Client.Configuration,
    tokens: Client.TokenEndpointResponse & Client.TokenEndpointResponseHelpers,
  ): Promise<Client.IDToken> {
    const claims = tokens.claims()!
    if (valuesOf(claims, this.#options.claim).length > 0 || config.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(config, tokens.access_token, claims.sub)), ...claims }
  }

  #flowIn(request: Request, cookie: string): Flow | undefined {
    const sealed = cookieIn(request, flowName(cookie))
    const bytes = sealed === undefined ? undefined : this.#sealer.open(context, Buffer.from(sealed, 'base64url'))
    const flow = bytes && (JSON.parse(Buffer.from(bytes).toString()) as Flow)
    return flow && this.#clock.now() < flow.validUntil ? flow : undefined
  }

  /** Reads the provider's metadata once. After a failure, the next sign-in tries again. */
  #connect(): Promise<Provider> {
    const { issuer, clientId, clientSecret } = this.#options
    this.#provider ??= import('openid-client').then(async client => ({
      client,
      config: await client.discovery(new URL(issuer), clientId, clientSecret, clientSecret === undefined ? client.None() : undefined, {
        // Without it, the library trusts what comes from the token endpoint, and does not verify the signature.
        execute: [client.enableNonRepudiationChecks, ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : [])],
      }),
    }))
    this.#provider.catch(() => (this.#provider = undefined))
    return this.#provider
  }
}

export function refused(refusal: Refusal, setCookie?: string): Response {
  return redirect(`./?refused=${refusal}`, setCookie)
}

export function redirect(location: string, ...cookies: readonly (string | undefined)[]): Response {
  const headers = new Headers({ location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  for (const cookie of cookies) if (cookie !== undefined) headers.append('set-cookie', cookie)
  return new Response(null, { status: 302, headers })
}

/** `Lax`, because the provider's page sends the browser back. */
function flowCookie(request: Request, cookie: string, value: string, seconds: number): string {
  return `${flowName(cookie)}=${value}; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure(request) ? '; Secure' : ''}`
}

function flowName(cookie: string): string {
  return `${cookie}_openid`
}
