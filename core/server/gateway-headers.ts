import type { Asked } from '../foundation/errors.ts'

const maxWarningsLength = 2_000

type Told = { readonly [Fact in keyof Asked]?: Asked[Fact] | undefined } & {
  /** For formats whose usage has no room for it. Null, for an unknown cost, is left out. */
  readonly costUsd?: number | null | undefined
}

/** Facts for which no body has a field: docs/protocol/http.md#response-headers. Undefined ones are left out. */
export function gatewayHeaders({ provider, attempts, warnings, costUsd }: Told): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {}
  if (provider !== undefined) headers['x-gateway-provider'] = asHeader(provider)
  if (attempts !== undefined) headers['x-gateway-attempts'] = String(attempts)
  if (warnings?.length) headers['x-gateway-warnings'] = asHeader(warnings.map(asOne).join('; '))
  if (typeof costUsd === 'number') headers['x-gateway-cost-usd'] = String(costUsd)
  return headers
}

/** Messages repeat names that callers choose, which must not look like another warning. */
function asOne({ param, message }: Asked['warnings'][number]): string {
  return `${param}: ${message}`.replaceAll(';', ',')
}

/** A header value is one line of printable ASCII. */
function asHeader(text: string): string {
  const ascii = text.replace(/[^\x20-\x7e]/g, '?')
  return ascii.length <= maxWarningsLength ? ascii : `${ascii.slice(0, maxWarningsLength - 3)}...`
}
