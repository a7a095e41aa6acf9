import { PluginError } from '../foundation/errors.ts'
import { currentToken, nameOf, type Token } from '../foundation/token.ts'
import { lister } from './lister.ts'
import type { CheckedPlugin } from './checked-plugins.ts'

/** Config order, except that a plugin follows those named in its `after` and those that provide what it needs or wants. */
export function order(plugins: readonly CheckedPlugin[]): CheckedPlugin[] {
  const byName = new Map<string, CheckedPlugin>()
  const providers = new Map<Token<any>, CheckedPlugin>()
  for (const checked of plugins) {
    const namesake = byName.get(checked.name)
    if (namesake) throw new PluginError(checked.name, listedTwice(checked, namesake))
    byName.set(checked.name, checked)
    for (const service of checked.provides) {
      const other = providers.get(service)
      if (other) throw new PluginError(checked.name, `provides ${nameOf(service)}, as plugin ${other.name} already does`)
      providers.set(service, checked)
    }
  }

  const ordered = new Set<CheckedPlugin>()
  const visit = (checked: CheckedPlugin, path: readonly CheckedPlugin[]): void => {
    if (ordered.has(checked)) return
    if (path.includes(checked)) {
      const loop = [...path.slice(path.indexOf(checked)), checked].map(({ name }) => name)
      throw new PluginError(checked.name, `waits for itself: ${loop.join(' → ')}`)
    }
    const { after = [], needs = {}, wants = {} } = checked.plugin
    const earlier = [
      ...after.flatMap(name => plugins.filter(other => other.plugin.name === name || other.name === name)),
      ...[...Object.values(needs), ...Object.values(wants)].map(need => providers.get(currentToken(need))),
    ]
    for (const before of earlier) if (before) visit(before, [...path, checked])
    ordered.add(checked)
  }
  for (const checked of plugins) visit(checked, [])
  return [...ordered]
}

function listedTwice({ plugin, options, isDefault, from }: CheckedPlugin, namesake: CheckedPlugin): string {
  if (plugin !== namesake.plugin) return 'has the same name as another plugin. Rename one of them'
  const leftOut = plugin.instance?.(options) ?? plugin.name
  const removal = isDefault === namesake.isDefault ? 'Remove one' : `Leave out one with defaults({ without: ['${leftOut}'] })`
  const naming = plugin.instance && ['id', 'name'].find(option => option in plugin.options.properties)
  const listers = from === namesake.from ? '' : `: by ${lister(namesake.from)} and by ${lister(from)}`
  return `is listed twice${listers}. ${removal}${naming ? `, or give one another ${naming}` : ''}`
}
