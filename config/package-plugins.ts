import { definitionOf } from '../core/framework/plugin.ts'
import type { KnownPlugin } from '../core/framework/option-places.ts'
import { builtIn } from './built-in.ts'

/** The plugins of this package with their schemas. Loads all of them: only for the errors about a config. */
export async function packagePlugins(): Promise<readonly KnownPlugin[]> {
  const modules = await Promise.allSettled(Object.values(builtIn).map(folder => import(`turnpike/plugins/${folder}`)))
  return modules.flatMap(module => {
    const definition = module.status === 'fulfilled' ? definitionOf(module.value.default) : undefined
    return definition ? [{ name: definition.name, options: definition.options }] : []
  })
}
