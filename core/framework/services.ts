import type { Token } from '../foundation/token.ts'
import type { CheckedPlugin } from './checked-plugins.ts'

/**
 * Decides which plugin provides each service. `provides` of one plugin takes precedence over `offers` of another, and both over an entry of
 * `defaults()`. Two equal plugins both keep the service, which is an error later; of the defaults, the last one keeps it.
 */
export function settleServices(plugins: readonly CheckedPlugin[]): CheckedPlugin[] {
  const winners = new Map<Token<any>, CheckedPlugin>()
  for (const plugin of plugins) {
    for (const service of plugin.offers) {
      const best = winners.get(service)
      if (!best || rank(plugin, service) > rank(best, service) || (plugin.isDefault && best.isDefault)) winners.set(service, plugin)
    }
  }
  const keeps = (plugin: CheckedPlugin, service: Token<any>): boolean => {
    const winner = winners.get(service)!
    return winner === plugin || (!plugin.isDefault && rank(winner, service) === rank(plugin, service))
  }
  return plugins.map(plugin => ({ ...plugin, provides: plugin.offers.filter(service => keeps(plugin, service)) }))
}

function rank({ isDefault, provides }: CheckedPlugin, service: Token<any>): number {
  if (isDefault) return 0
  return provides.includes(service) ? 2 : 1
}
