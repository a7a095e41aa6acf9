import type { Endpoint } from '../contracts/catalog.ts'
import type { ApiKey } from '../contracts/key-store.ts'
import type { Policy } from '../contracts/policy.ts'
import type { ProviderCall } from '../contracts/provider.ts'
import type { UpstreamRequestBody } from '../contracts/request.ts'
import type { Logger } from '../foundation/logger.ts'

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent }

const key: ApiKey = { id: 'demo', hash: '', name: 'demo', org: 'demo-org', policy: {}, createdAt: 0 }

const off = { value: false, source: 'key' } as const
const policy: Policy = { zdr: off, logging: off, hipaa: off, redaction: off }

/** For `providerCall`. */
export interface ProviderCallOptions {
  /** Missing members are those of one without known capabilities. */
  readonly endpoint?: Partial<Endpoint>
  /** Default: undefined, as for a provider without credentials. */
  readonly credentialId?: string | undefined
  /** Default: one that never aborts. */
  readonly signal?: AbortSignal
}

/** A provider call for tests: one attempt of a demo caller at an endpoint without known capabilities. */
export function providerCall(request: UpstreamRequestBody, options: ProviderCallOptions = {}): ProviderCall {
  const signal = options.signal ?? new AbortController().signal
  const endpoint: Endpoint = {
    provider: 'demo',
    model: request.model,
    upstreamModel: request.model,
    listed: true,
    capabilities: {},
    zdr: false,
    hipaa: false,
    ...options.endpoint,
  }
  const context = { id: 'req_demo', caller: { key, policy, owner: 'demo-org' }, signal, log: silent, note() {}, keep() {} }
  return { request, endpoint, credentialId: options.credentialId, signal, context }
}
