import { ProviderFailure } from '../../../core/index.ts'
import { isPrivateAddress } from '../../../core/kit.ts'

interface FaultKind {
  /** Of HTTP. */
  readonly status?: number
  /** The server refused the credentials. */
  readonly isRefusal?: boolean
  /** The server does not know the session any more. */
  readonly isForgotten?: boolean
  /** Other calls can go on in the session. */
  readonly leavesSession?: boolean
  /** The server may not know the newer protocol. */
  readonly mayBeOlder?: boolean
}

/** The reason why a server could not be used. `words` follow its name, and quote nothing that it sent. */
export class ServerFault extends Error {
  override readonly name = 'ServerFault'
  readonly words: string
  readonly kind: FaultKind

  constructor(words: string, kind: FaultKind = {}) {
    super(words)
    this.words = words
    this.kind = kind
  }
}

/** Says what went wrong, from an error of the gateway's HTTP client or of the package for the protocol. */
export function faultOf(error: unknown): ServerFault {
  const chain = causesOf(error)
  const known = chain.find(each => each instanceof ServerFault)
  if (known) return known as ServerFault
  if (isPrivateAddress(error)) return new ServerFault('has an address outside the public internet, which the gateway does not call')
  const status = chain.map(statusOf).find(each => each !== undefined)
  if (status !== undefined) return answeredWith(status)
  if (chain.some(isLate)) return new ServerFault('did not answer in time', { leavesSession: true, mayBeOlder: true })
  if (chain.some(each => ProviderFailure.is(each))) return new ServerFault('could not be reached')
  if (chain.some(each => each instanceof Error && each.name === 'ProtocolError'))
    return new ServerFault('answered with an error', { leavesSession: true })
  return new ServerFault('did not answer as the protocol says', { mayBeOlder: true })
}

function answeredWith(status: number): ServerFault {
  if (status === 401 || status === 403) return new ServerFault(`refused the request (HTTP ${status})`, { status, isRefusal: true })
  return new ServerFault(`answered with HTTP ${status}`, { status, isForgotten: status === 404, mayBeOlder: status >= 500 })
}

/** An error and its causes. */
function causesOf(error: unknown): readonly unknown[] {
  const chain: unknown[] = []
  for (let each = error; each instanceof Error && chain.length < 8; each = each.cause) chain.push(each)
  return chain
}

function statusOf(error: unknown): number | undefined {
  const { name, status } = error as { readonly name?: string; readonly status?: unknown }
  if (name === 'InsufficientScopeError') return 403
  return name === 'SdkHttpError' && typeof status === 'number' ? status : undefined
}

function isLate(error: unknown): boolean {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown }
  return name === 'TimeoutError' || code === 'REQUEST_TIMEOUT' || (ProviderFailure.is(error) && error.kind === 'timeout')
}
