import { ProviderFailure } from '../../contracts/provider.ts'
import { failurePolicies } from './failure-policy.ts'

/** Tells the operator of a failure whose kind does not exist. A kind that is not a word may be content. */
export function unknownKind(plugin: string, { kind }: { readonly kind: unknown }): string {
  const given =
    typeof kind === 'string' ? (/^[\w-]{1,40}$/.test(kind) ? `"${kind}"` : 'another string') : `a value of the type ${typeof kind}`
  return `plugin ${plugin} threw a ProviderFailure with a bad \`kind\`: expected one of ${Object.keys(failurePolicies).join(', ')}, got ${given}`
}

/** The same failure with the kind as which an unknown one counts. */
export function asProtocol(failure: ProviderFailure): ProviderFailure {
  const { message, code, status, retryAfterMs, transient, subject, upstream, unquotedMessage, vendorCode, requestId, cause } = failure
  const told = { message, unquotedMessage, code, status, vendorCode, requestId }
  return new ProviderFailure({ kind: 'protocol', ...told, retryAfterMs, transient, subject, upstream, cause })
}
