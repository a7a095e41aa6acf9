import type { Commitment, Reply } from '../../../core/index.ts'

type Headers = Readonly<Record<string, string>>

export function jsonReply(body: object, headers: Headers = {}): Reply {
  return { status: 200, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }
}

/** Facts that the protocol has no place for. */
export function gatewayHeaders({ endpoint, attempts, warnings }: Omit<Commitment, 'store'>): Headers {
  if (!endpoint) return {}
  return { 'x-gateway-provider': endpoint.provider, 'x-gateway-attempts': String(attempts), ...warningHeader(warnings) }
}

export function warningHeader(warnings: Commitment['warnings']): Headers {
  if (warnings.length === 0) return {}
  return { 'x-gateway-warnings': asHeader(warnings.map(({ param, message }) => `${param}: ${message}`).join('; ')) }
}

/** A header holds one line of printable ASCII. */
function asHeader(text: string): string {
  return text.replace(/[^\x20-\x7e]/g, '?').slice(0, 2_000)
}
