import { createGateway, type Gateway, type GatewayOptions } from '../gateway.ts'
import type { KeySettings } from '../contracts/key-store.ts'

/** A gateway for tests, without a port. */
export interface TestGateway {
  /** The gateway itself. */
  readonly gateway: Gateway
  /** A key without restrictions and with logging on, or a key with the settings in `key`: what they leave out is off. */
  readonly apiKey: string
  /** A request without a socket. Authenticated unless the headers override it, and JSON if `body` is an object. */
  request(path: string, init?: TestRequest): Promise<Response>
  /** Log lines so far. */
  readonly logs: readonly string[]
  /** Stops the gateway. Call it after each test. */
  stop(): Promise<void>
}

/** For `TestGateway.request`. */
export interface TestRequest {
  /** Default: POST with a body, otherwise GET. */
  readonly method?: string
  /** More headers, which replace the usual ones. */
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body?: object | string
  /** Aborts like a client that leaves. */
  readonly signal?: AbortSignal
}

const noWait: NonNullable<GatewayOptions['backoff']> = { random: () => 0, sleep: () => Promise.resolve() }

/** An in-memory gateway that retries and writes records without waiting, and never explores. The plugins must provide a key store, a sealer and the other services. */
export async function testGateway(options: GatewayOptions & { readonly key?: Partial<KeySettings> }): Promise<TestGateway> {
  const logs: string[] = []
  const gateway = await createGateway({
    writeLog: line => void logs.push(line),
    showsExceptions: true,
    backoff: noWait,
    random: () => 1,
    recordDelayMs: 0,
    ...options,
  })
  const apiKey = await gateway.issueKey({ name: 'test', ...(options.key ?? { policy: { logging: { value: true } } }) })
  return {
    gateway,
    apiKey,
    logs,
    request: (path, init) => Promise.resolve(gateway.http.h3.request(path, requestInit(apiKey, init))),
    stop: () => gateway.stop(),
  }
}

/** For `fetch` and the like. */
export function requestInit(apiKey: string, { method, headers = {}, body, signal }: TestRequest = {}): RequestInit {
  return {
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    headers: { authorization: `Bearer ${apiKey}`, ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  }
}
