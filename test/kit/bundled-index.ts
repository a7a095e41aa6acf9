import { OpenRegistry } from '../../core/framework/open-registry.ts'
import { CatalogIndex } from '../../core/routing/catalog.ts'
import type { AbsentProvider, CatalogSource, Provider } from '../../core/index.ts'
import { entriesOf } from '../../plugins/catalogs/bundled/entries.ts'
import { bundledCatalog } from '../../plugins/catalogs/bundled/read.ts'

/** The bundled catalog as a gateway has it that has every provider in it. */
export function bundledIndex(): CatalogIndex {
  const catalog = bundledCatalog()
  const providers = new OpenRegistry<Provider>('provider', ({ id }) => id)
  for (const id of catalog.providers) providers.add({ id, generate: () => Promise.reject(new Error('only a name')) as never }, 'test')
  const sources = new OpenRegistry<CatalogSource>('catalog source', ({ name }) => name)
  sources.add({ name: 'bundled', entries: () => entriesOf(catalog, () => true) }, 'test')
  const index = new CatalogIndex(sources, providers, new OpenRegistry<AbsentProvider>('absent provider', ({ id }) => id))
  index.start()
  return index
}
