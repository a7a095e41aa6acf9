import type { Commitment, Reply, Warning } from '../../../core/index.ts'

type Headers = Readonly<Record<string, string>>

export function jsonReply(body: object, headers: Headers = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Facts that the protocol has no field for. `surface`: the warnings of the endpoint itself. */
export function gatewayHeaders({ endpoint, attempts, warnings }: Omit<Commitment, 'store'>, surface: readonly Warning[]): Headers {
  if (!endpoint) return warningHeader([...warnings, ...surface])
  const headers = { 'x-gateway-provider': endpoint.provider, 'x-gateway-attempts': String(attempts) }
  return warnings.length + surface.length === 0 ? headers : { ...headers, ...warningHeader([...warnings, ...surface]) }
}

export function warningHeader(warnings: readonly Warning[]): Headers {
  if (warnings.length === 0) return {}
  return { 'x-gateway-warnings': asHeader(warnings.map(({ param, message }) => `${param}: ${message}`).join('; ')) }
}

const longestHeader = 2_000

/** A header value is one line of printable ASCII. */
function asHeader(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/g, '?')
  return ascii.length <= longestHeader ? ascii : `${ascii.slice(0, longestHeader - 3)}...`
}
