import { createHash, timingSafeEqual } from 'node:crypto'
import { FailedTries, type AdminExchange, type AdminServices } from '../../../core/admin.ts'
import { GatewayError } from '../../../core/index.ts'

/** Lets callers read metrics with a token that is for nothing else, or with an admin token for all organizations. */
export class Access {
  readonly #token: Buffer
  readonly #tries: FailedTries

  constructor(token: string, tries: FailedTries) {
    this.#token = digest(token)
    this.#tries = tries
  }

  /** Throws a 401, 403, 429 or 503. */
  async check({ request, address }: Pick<AdminExchange, 'request' | 'address'>, gateway: Pick<AdminServices, 'identify'>): Promise<void> {
    const [, text] = /^Bearer +(\S+) *$/i.exec(request.headers.get('authorization') ?? '') ?? []
    if (text === undefined)
      throw refusal(
        401,
        'invalid_admin_token',
        'No token was sent. Send the header "Authorization: Bearer …" with the token of the plugin prometheus, or with an admin token.',
      )
    // Digests are equally long, and the time to compare them reveals nothing about the text.
    if (timingSafeEqual(digest(text), this.#token)) return
    const { admin } = await gateway.identify(text).catch((error: unknown) => {
      if (!(error instanceof GatewayError) || error.status !== 401) throw error
      if (address !== undefined) this.#tries.failed(text, address)
      throw refusal(401, 'invalid_admin_token', 'The token is neither that of the plugin prometheus nor an admin token.')
    })
    if (admin.org !== undefined)
      throw refusal(403, 'role_not_sufficient', 'Metrics concern the whole gateway, but this admin token is bound to one organization.')
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function refusal(status: 401 | 403, code: string, message: string): GatewayError {
  return new GatewayError({ status, type: status === 401 ? 'authentication_error' : 'permission_error', code, message })
}
