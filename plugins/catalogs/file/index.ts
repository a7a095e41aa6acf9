import { CatalogSources, definePlugin, PluginError, type CatalogEntry } from '../../../core/index.ts'
import { readCatalogFile } from './read.ts'
import { catalogSchema, checkEntries } from './schema.ts'

/** Models from a JSON file, from the config, or both: private models, contracts, prices, removals. They override all other catalogs. */
export default definePlugin({
  name: 'file-catalog',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      name: { type: 'string', minLength: 1, default: 'file', description: 'The name of this catalog, if you have several.' },
      path: { type: 'string', minLength: 1, description: 'A JSON file with a list of models, read at start.' },
      optional: { type: 'boolean', default: false, description: 'Start even if the file does not exist.' },
      models: { ...catalogSchema, description: 'Models in the same form as in the file. They are applied after those of the file.' },
    },
  },
  instance: options => options.name,
  setup(gateway, { name, path, optional, models }) {
    if (path === undefined && models === undefined) throw new PluginError(gateway.name, 'needs path, models, or both')
    const inline = models ?? []
    checkEntries(inline, 'models')
    const entries: readonly CatalogEntry[] = [
      ...(path === undefined ? [] : readCatalogFile(gateway.resolvePath(path), optional)),
      ...inline,
    ]
    gateway.add(CatalogSources, {
      name,
      rank: 'operator',
      entries: () => entries,
      summary: () => `${entries.length} ${entries.length === 1 ? 'model' : 'models'} described`,
    })
  },
})
