import { describeError } from '../../../core/kit.ts'
import type { Clock, JsonObject, Logger } from '../../../core/index.ts'
import { titleOf, type Place } from './place.ts'

/** Why the server cannot be used. */
export interface Cause {
  readonly kind: string
  /** Completes "cannot use Valkey at …, because …". */
  readonly because: string
  readonly remedy: string
  /** Another connection may lead to a server that works, as after a failover. */
  readonly reconnect?: true
  /** The server may apply the command when it is sent again, and has not applied it yet. */
  readonly mayRepeat?: true
}

/** The server is too old. `generationScript` tells its version. */
export class OldServer extends Error {
  override readonly name = 'OldServer'
}

/** The sentinels know no server of the name in `sentinel.master`. */
export class UnknownPrimary extends Error {
  override readonly name = 'UnknownPrimary'
  constructor() {
    super('the sentinels know no server of this name')
  }
}

/** No answer came in time. */
export class Stalled extends Error {
  override readonly name = 'Stalled'
}

/** There is no connection. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable'
  constructor() {
    super('there is no connection to Valkey')
  }
}

const server = 'Make sure that the server runs and that the address is right (url; VALKEY_URL or REDIS_URL with defaults())'
const closed = 'the connection was closed'
const late = 'the connection was not made in time'
const signIn = 'Correct username and password in the options or in the address'
const tls = 'Set tls.ca to the certificate of the authority that signed it, and tls.serverName if it has another name than the address'

/** By the code of an error of Node.js. */
const codes: Readonly<Record<string, readonly [because: string, remedy: string]>> = {
  ECONNREFUSED: ['nothing listens there', server],
  ENOTFOUND: ['there is no host of this name', server],
  EAI_AGAIN: ['the name of the host cannot be looked up', server],
  EHOSTUNREACH: ['the host cannot be reached', server],
  ENETUNREACH: ['the host cannot be reached', server],
  ETIMEDOUT: [late, server],
  ECONNRESET: [closed, server],
  EPIPE: [closed, server],
  DEPTH_ZERO_SELF_SIGNED_CERT: ['its certificate is signed by itself', tls],
  SELF_SIGNED_CERT_IN_CHAIN: ['its certificate is signed by an unknown authority', tls],
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: ['its certificate is signed by an unknown authority', tls],
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: ['its certificate is signed by an unknown authority', tls],
  ERR_TLS_CERT_ALTNAME_INVALID: ['its certificate is for another name', tls],
  CERT_HAS_EXPIRED: ['its certificate has expired', 'Renew the certificate of the server'],
  ERR_SSL_WRONG_VERSION_NUMBER: ['it does not speak TLS', 'Use an address that begins with redis:// or valkey://'],
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: ['it wants a certificate of the client', 'Set tls.cert and tls.key'],
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: ['it does not know who signed the certificate of the client', 'Correct tls.cert and tls.key'],
}

/** By the first word of an error of the server. */
const replies: Readonly<Record<string, Omit<Cause, 'kind'>>> = {
  WRONGPASS: { because: 'it does not accept user and password', remedy: signIn },
  NOAUTH: { because: 'it wants a password', remedy: signIn },
  NOPERM: { because: 'the user may not do it', remedy: 'Give the user the permissions in docs/valkey.md' },
  DENIED: { because: 'it is in protected mode', remedy: 'Set a password for the server, or bind it to the address that the gateways use' },
  READONLY: { because: 'it is a replica', remedy: 'Use the address of the primary', reconnect: true, mayRepeat: true },
  LOADING: { because: 'it is still reading its data', remedy: 'It will be used when it is ready', mayRepeat: true },
  MASTERDOWN: {
    because: 'it is a replica without its primary',
    remedy: 'Use the address of the primary',
    reconnect: true,
    mayRepeat: true,
  },
  OOM: { because: 'its memory is full', remedy: 'Raise maxmemory of the server' },
  MISCONF: { because: 'it cannot write to its disk, so it takes no changes', remedy: 'See the log of the server' },
  NOREPLICAS: { because: 'it has too few replicas, so it takes no changes', remedy: 'Start its replicas', mayRepeat: true },
  MOVED: { because: 'it is part of a cluster', remedy: 'Use the option cluster instead of url' },
  CROSSSLOT: { because: 'it is part of a cluster', remedy: 'Use the option cluster instead of url' },
  CLUSTERDOWN: { because: 'its cluster is down', remedy: 'It will be used when the cluster is up', mayRepeat: true },
  TRYAGAIN: { because: 'its cluster is moving keys', remedy: 'It will be used when they are moved', mayRepeat: true },
  BUSY: { because: 'it runs a script of someone else that takes long', remedy: 'End it with SCRIPT KILL', mayRepeat: true },
  WRONGTYPE: { because: 'one of its keys has another type', remedy: 'Choose another prefix if something else uses it, or delete the key' },
}

/** Why a command failed, or a connection did. */
export function causeOf(error: unknown): Cause {
  const { name, code, message } = (error instanceof AggregateError ? error.errors[0] : error) as Error & { readonly code?: unknown }
  if (name === 'OldServer') return { kind: name, because: message, remedy: 'Use Valkey, or Redis 7 or newer', reconnect: true }
  if (name === 'UnknownPrimary') return { kind: name, because: message, remedy: 'Correct sentinel.master' }
  if (name === 'Stalled') return { kind: name, because: message, remedy: 'See what keeps it busy', reconnect: true, mayRepeat: true }
  if (typeof code === 'string') {
    const [because, remedy] = codes[code] ?? ['the connection broke', server]
    return { kind: code, because, remedy, mayRepeat: true }
  }
  const word = message.startsWith('ERR The user executing the script') ? 'NOPERM' : (/^[A-Z]+\b/.exec(message)?.[0] ?? '')
  const known = replies[word]
  if (known) return { kind: word, ...known }
  if (/unknown command/i.test(message))
    return { kind: 'ERR', because: 'it is too old, or lacks a command', remedy: 'Use Valkey, or Redis 7 or newer' }
  if (/max(imum)? number of clients/.test(message))
    return { kind: 'ERR', because: 'it has too many clients', remedy: 'Raise maxclients of the server' }
  if (/DB index|SELECT is not allowed/.test(message))
    return { kind: 'ERR', because: 'it does not have this database', remedy: 'Correct the number at the end of the address' }
  if (word === 'ERR') return { kind: word, because: 'it answers with an error', remedy: 'See the log of the server' }
  if (/timeout/i.test(message)) return { kind: 'ETIMEDOUT', because: late, remedy: server, mayRepeat: true }
  if (/closed|disconnect|offline|no connection/i.test(message))
    return { kind: 'ECONNRESET', because: closed, remedy: server, mayRepeat: true }
  return { kind: 'other', because: 'of an unexpected error', remedy: server }
}

const repeatMs = 60_000

/** Logs why the server cannot be used: once, and again each minute while it lasts. Neither secrets nor what a command was about. */
export class Trouble {
  readonly #log: Logger
  readonly #clock: Clock
  readonly #title: string
  readonly #hint: string
  readonly #toldAt = new Map<string, number>()

  constructor(log: Logger, clock: Clock, place: Place) {
    this.#log = log
    this.#clock = clock
    this.#title = titleOf(place)
    this.#hint = place.secure ? 'the server has no TLS, use redis:// or valkey://' : 'the server has TLS, use rediss:// or valkeys://'
  }

  report(error: unknown): Cause {
    const cause = causeOf(error)
    const now = this.#clock.elapsed()
    if (now - (this.#toldAt.get(cause.kind) ?? -Infinity) < repeatMs) return cause
    this.#toldAt.set(cause.kind, now)
    const hint = cause.because === closed || cause.because === late ? `. If ${this.#hint}` : ''
    this.#log.warn(`cannot use Valkey at ${this.#title}, because ${cause.because}. ${cause.remedy}${hint}`, fieldsOf(cause, error))
    return cause
  }

  /** The server can be used. */
  over(version: string): void {
    const wasTold = this.#toldAt.size > 0
    this.#toldAt.clear()
    this.#log.info(`uses Valkey at ${this.#title}${wasTold ? ' again' : ''}`, { version })
  }
}

/** The words of the server only where they quote no key, and so no id. */
function fieldsOf({ kind }: Cause, error: unknown): JsonObject {
  if (kind === 'NOPERM') return { code: kind, reason: (error as Error).message.slice(0, 200) }
  return kind === 'other' ? describeError(error) : { code: kind }
}
