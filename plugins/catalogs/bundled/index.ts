import { CatalogSources, Clock, definePlugin, Providers } from '../../../core/index.ts'
import { describeSize, loadedSizeOf, sizeOf, type LoadedSize } from './age.ts'
import { entriesOf, providersByName } from './entries.ts'
import { without } from './exclusion.ts'
import type { PackedCatalog } from './format.ts'
import { bundledCatalog, bundledCatalogOf, checkedCatalog } from './read.ts'
import { reasonOf } from './reason.ts'
import { Refresh } from './refresh.ts'
import { retrievalEntries } from './retrieval-models.ts'
import { readSaved, type SavedCatalog } from './saved.ts'

const hourMs = 3_600_000

/** Models of the common vendors with prices, limits and capabilities, as of the release of the gateway or newer. */
export default definePlugin({
  name: 'bundled-catalog',
  options: {
    type: 'object',
    additionalProperties: false,
    properties: {
      exclude: {
        type: 'array',
        items: { type: 'string', minLength: 1, maxLength: 200 },
        default: [],
        description: 'Models to leave out, or `provider/model` for a single provider. `*` matches any characters, such as `openrouter/*`.',
      },
      refreshUrl: {
        type: 'string',
        format: 'uri',
        pattern: '^https?://',
        description: 'The URL of a newer catalog in the format of `models.json`. Without it, nothing is fetched.',
      },
      refreshHours: { type: 'number', minimum: 0.1, maximum: 596, default: 24, description: 'How often to fetch the URL.' },
      file: {
        type: 'string',
        minLength: 1,
        default: './data/catalog.json',
        description: 'Where to save the last valid catalog from the URL for the next start.',
      },
    },
  },
  needs: { providers: Providers, clock: Clock },
  setup(gateway, { exclude, refreshUrl, refreshHours, file }, { providers, clock }) {
    const path = gateway.resolvePath(file)
    let changed = (): void => {}
    let saved: SavedCatalog | undefined
    let size: LoadedSize | undefined
    let everywhere: ReadonlyMap<string, readonly string[]> | undefined
    const newest = (bundled = bundledCatalog()): PackedCatalog => (saved && saved.catalog.date >= bundled.date ? saved.catalog : bundled)
    const isLoaded = (provider: string): boolean => providers.get(provider) !== undefined
    gateway.add(CatalogSources, {
      name: 'bundled',
      rank: 'bundled',
      // Reads the file whenever the catalog is built, and keeps only the entries that are used.
      entries() {
        everywhere = undefined
        const entries = without(entriesOf(newest(bundledCatalogOf(isLoaded)), isLoaded), exclude)
        size = loadedSizeOf(entries)
        return entries
      },
      providersOf(name) {
        everywhere ??= providersByName(
          without(
            entriesOf(newest(), () => true),
            exclude,
          ),
        )
        return everywhere.get(name) ?? []
      },
      onChange: callback => (changed = callback),
      summary: () => (size ? describeSize(sizeOf(newest()), size, clock.now()) : 'not read yet'),
    })
    gateway.add(CatalogSources, {
      name: 'bundled-retrieval',
      rank: 'bundled',
      entries: () => without(retrievalEntries(isLoaded), exclude),
      providersOf: name =>
        without(
          retrievalEntries(() => true),
          exclude,
        )
          .find(({ model }) => model === name)
          ?.endpoints.map(({ provider }) => provider) ?? [],
    })
    if (refreshUrl === undefined) return
    gateway.onStart(() => {
      try {
        saved = readSaved(path, refreshUrl, checkedCatalog)
      } catch (error) {
        gateway.log.warn('cannot use the saved catalog', { file: path, why: reasonOf(error) })
      }
      if (!gateway.createFiles) return
      const refresh = new Refresh(
        {
          url: refreshUrl,
          everyMs: refreshHours * hourMs,
          file: path,
          http: gateway.http,
          clock,
          log: gateway.log,
          onNew(newer) {
            saved = newer
            changed()
          },
        },
        saved,
      )
      gateway.onStop(() => refresh.stop())
      refresh.start()
    })
  },
})
