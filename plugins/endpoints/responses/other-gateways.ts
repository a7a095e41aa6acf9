import type { JsonObject } from '../../../core/index.ts'
import type { Warning } from '../../../core/kit.ts'

/** Top-level members that other gateways read, and what to use here. */
const members: Readonly<Record<string, string>> = {
  models: 'routing.model.fallbacks',
  provider: 'routing.provider',
  plugins: 'tools, such as {"type":"web_search"}',
}

export function isOfAnotherGateway(name: string): boolean {
  return Object.hasOwn(members, name)
}

/** They reach upstreams that speak the same API, as all unknown members do, so the gateway behind one may read them. */
export function otherGatewayWarnings(sent: JsonObject): readonly Warning[] {
  return Object.keys(sent)
    .filter(isOfAnotherGateway)
    .map(param => ({ param, message: `has no effect on this gateway, it belongs to another one: use ${members[param]}` }))
}
