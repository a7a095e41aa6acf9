import { PluginError } from '../foundation/errors.ts'
import { kindOf } from '../foundation/kind-of.ts'
import { currentToken, nameOf, type Token } from '../foundation/token.ts'
import type { Container } from './container.ts'
import type { PluginDefinition } from './plugin.ts'

/** The services and registries that `setup` receives. Throws a `PluginError` if one of `needs` is missing. */
export function resolvedNeeds(
  name: string,
  { needs = {}, wants = {} }: Pick<PluginDefinition, 'needs' | 'wants'>,
  container: Container,
): Readonly<Record<string, unknown>> {
  const find = (member: string, key: string, service: Token<unknown>): unknown => {
    if (typeof service !== 'symbol')
      throw new PluginError(
        name,
        `has a bad \`${member}\`: expected a service as "${key}", got ${kindOf(service)}. Import one: import { Clock } from 'turnpike'`,
      )
    const current = currentToken(service)
    return container.has(current) ? container.get(current) : undefined
  }
  const resolved: Record<string, unknown> = {}
  for (const [key, need] of Object.entries(needs)) {
    resolved[key] = find('needs', key, need)
    if (resolved[key] === undefined) throw new PluginError(name, `needs ${nameOf(need)}, which no plugin provides`)
  }
  for (const [key, want] of Object.entries(wants)) {
    if (Object.hasOwn(needs, key)) throw new PluginError(name, `has "${key}" in both \`needs\` and \`wants\`. Remove one of them`)
    resolved[key] = find('wants', key, want)
  }
  return resolved
}

export function isNamedBy({ needs = {}, wants = {} }: Pick<PluginDefinition, 'needs' | 'wants'>, service: Token<unknown>): boolean {
  return [...Object.values(needs), ...Object.values(wants)].some(token => currentToken(token) === service)
}
