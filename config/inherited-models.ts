import type { Gateway } from '../core/gateway.ts'
import type { CheckedPlugin } from '../core/framework/checked-plugins.ts'
import { isPublicHost } from '../core/upstream/media/media-address.ts'

/**
 * Warns of providers that look like a server of the operator and have the id of a vendor, one sentence each: they get the models and prices
 * that the bundled catalog lists for that vendor, which `auto` then counts on.
 */
export function inheritedModels(gateway: Pick<Gateway, 'plugins' | 'contributions' | 'bundledModels'>): readonly string[] {
  const { plugins, contributions } = gateway
  const suspects = contributions.flatMap(({ point, name: id, plugin: owner }) => {
    const plugin = point === 'provider' ? plugins.find(({ name }) => name === owner) : undefined
    const why = plugin && whyElsewhere(plugin, id)
    return why === undefined ? [] : [{ id, owner, why }]
  })
  if (suspects.length === 0) return []
  const bundled = gateway.bundledModels()
  return suspects.flatMap(({ id, owner, why }) => {
    const count = bundled.get(id)
    if (count === undefined) return []
    const models = count === 1 ? 'the model' : `the ${count} models`
    return [
      `Plugin ${owner} ${why}, but the bundled catalog knows a provider "${id}": requests for ${models} that it lists there may go to yours, at the prices of that vendor. If yours is another server, give it another id, or leave them out: bundledCatalog({ exclude: ['${id}/*'] }).`,
    ]
  })
}

/** The reason why the provider may differ from the vendor of that name, if there is one. */
function whyElsewhere({ plugin, options }: CheckedPlugin, id: string): string | undefined {
  const { id: given, baseUrl, ...others } = options as { readonly id?: unknown; readonly baseUrl?: unknown }
  if (typeof baseUrl === 'string' && URL.canParse(baseUrl) && !isPublicHost(new URL(baseUrl).hostname)) return 'is at a private address'
  if (given !== id) return undefined
  const { default: usual = plugin.instance?.({ ...others, baseUrl }) } = (plugin.options.properties['id'] ?? {}) as {
    readonly default?: unknown
  }
  return usual === id ? undefined : `sets the id "${id}" itself`
}
