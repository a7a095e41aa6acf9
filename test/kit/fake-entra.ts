import { createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer as createPlainServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'

/** Certificate and key in one, as an application of Microsoft Entra has them; the authority's own, too. */
export const certificateFile = join(import.meta.dirname, '../fixtures/entra/certificate.pem')
const pem = readFileSync(certificateFile, 'utf8')

export interface TokenRequest {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  readonly headers: IncomingMessage['headers']
}

/** The authority of a tenant, over HTTPS as Microsoft's library demands it, and the identity endpoint of a machine, on loopback. */
export class FakeEntra {
  readonly requests: TokenRequest[] = []
  /** The next answers, in place of a token. */
  readonly refusals: { readonly status: number; readonly body: object }[] = []
  readonly #secure: Server
  readonly #plain: Server

  private constructor() {
    this.#secure = createServer({ key: pem, cert: pem }, (request, response) => this.#answer(request, response))
    this.#plain = createPlainServer((request, response) => this.#answer(request, response))
  }

  /** From now on this process trusts the authority's certificate. */
  static async start(): Promise<FakeEntra> {
    setDefaultCACertificates([...getCACertificates('default'), pem])
    const entra = new FakeEntra()
    for (const server of [entra.#secure, entra.#plain]) await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return entra
  }

  get authority(): string {
    return `https://127.0.0.1:${(this.#secure.address() as AddressInfo).port}`
  }

  get identityEndpoint(): string {
    return `http://127.0.0.1:${(this.#plain.address() as AddressInfo).port}/msi/token`
  }

  async close(): Promise<void> {
    for (const server of [this.#secure, this.#plain]) {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    }
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const [status, body] = this.#reply(request, Buffer.concat(chunks).toString())
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(body))
    })
  }

  #reply({ url = '', headers }: IncomingMessage, text: string): readonly [status: number, body: object] {
    const root = `${this.authority}/demo-tenant`
    if (url.includes('openid-configuration'))
      return [
        200,
        {
          issuer: `${root}/v2.0`,
          token_endpoint: `${root}/oauth2/v2.0/token`,
          authorization_endpoint: `${root}/oauth2/v2.0/authorize`,
          jwks_uri: `${root}/discovery/v2.0/keys`,
        },
      ]
    this.requests.push({ path: url, form: Object.fromEntries(new URLSearchParams(text)), headers })
    const refusal = this.refusals.shift()
    if (refusal) return [refusal.status, refusal.body]
    const token = { token_type: 'Bearer', access_token: `demo-token-${this.requests.length}` }
    // An identity endpoint tells when, an authority how long.
    const end = url.startsWith('/msi/') ? { expires_on: Math.floor(Date.now() / 1000) + 3600 } : { expires_in: 3600 }
    return [200, { ...token, ...end }]
  }
}

/** True if an application signed its assertion with the key of the certificate. */
export function isSignedByCertificate(assertion: string): boolean {
  const [header = '', claims = '', signature = ''] = assertion.split('.')
  const { alg } = JSON.parse(Buffer.from(header, 'base64url').toString()) as { readonly alg: string }
  const key = { key: createPublicKey(pem), ...(alg === 'PS256' && { padding: 6, saltLength: 32 }) }
  return verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
}
