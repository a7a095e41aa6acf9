import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** A request for a token. */
export interface Grant {
  readonly path: string
  readonly form: Readonly<Record<string, string>>
  readonly authorization?: string
  /** Of a service account: the claims of its assertion, whose signature was found to be right. */
  readonly claims?: Readonly<Record<string, unknown>>
}

/** Google's token service, and the metadata server of a machine, on a loopback port. It never keeps a process alive. */
export class FakeGoogle {
  readonly grants: Grant[] = []
  /** For how long the next tokens are good. */
  expiresInSeconds = 3600
  /** The next answers, in place of a token. */
  readonly refusals: { readonly status: number; readonly body: object }[] = []
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const isMetadata = request.url!.startsWith('/computeMetadata/') && request.headers['metadata-flavor'] === 'Google'
        const form = Object.fromEntries(new URLSearchParams(Buffer.concat(chunks).toString()))
        const claims = form['assertion'] === undefined ? undefined : this.#claimsOf(form['assertion'])
        const { authorization } = request.headers
        const isToken = !isMetadata || request.url!.includes('/token')
        if (isToken) this.grants.push({ path: request.url!, form, ...(authorization && { authorization }), ...(claims && { claims }) })
        const { status, body } = this.refusals.shift() ?? { status: 200, body: isToken ? this.#token() : undefined }
        response.writeHead(status, { 'content-type': 'application/json', ...(isMetadata && { 'metadata-flavor': 'Google' }) })
        response.end(body === undefined ? 'metadata-project' : JSON.stringify(body))
      })
    })
    this.#server.unref()
  }

  static async start(): Promise<FakeGoogle> {
    const google = new FakeGoogle()
    await new Promise<void>(resolve => google.#server.listen(0, '127.0.0.1', resolve))
    return google
  }

  get url(): string {
    return `http://${this.host}`
  }

  get host(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The key file of a service account that it knows. */
  get serviceAccount(): Readonly<Record<string, string>> {
    return {
      type: 'service_account',
      project_id: 'demo-project',
      private_key_id: 'demo-key',
      private_key: this.#keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      client_email: 'gateway@demo-project.iam.gserviceaccount.com',
      token_uri: `${this.url}/ignored`,
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise(resolve => this.#server.close(resolve))
    await nextTurn()
  }

  #token(): object {
    return {
      access_token: `ya29.demo-${this.grants.length}`,
      token_type: 'Bearer',
      expires_in: this.expiresInSeconds,
      // Of an impersonated account.
      accessToken: `ya29.demo-${this.grants.length}`,
      expireTime: new Date(Date.now() + this.expiresInSeconds * 1000).toISOString(),
    }
  }

  #claimsOf(assertion: string): Readonly<Record<string, unknown>> {
    const [header = '', claims = '', signature = ''] = assertion.split('.')
    const key = createPublicKey(this.#keys.publicKey.export({ type: 'spki', format: 'pem' }))
    const isSigned = verify('sha256', Buffer.from(`${header}.${claims}`), key, Buffer.from(signature, 'base64url'))
    if (!isSigned) throw new Error('the assertion is not signed by the account')
    return JSON.parse(Buffer.from(claims, 'base64url').toString()) as Readonly<Record<string, unknown>>
  }
}
