// One measurement for catalog.ts: loads the catalog as a gateway does, with the given providers, and prints the cost.

import { readFileSync } from 'node:fs'
import type { AbsentProvider, CatalogSource, Clock, Logger, Provider } from '../core/index.ts'
import type { HttpClient } from '../core/kit.ts'
import { Registry } from '../core/framework/registry.ts'
import { CatalogIndex } from '../core/routing/catalog.ts'
import bundled from '../plugins/catalogs/bundled/index.ts'
import type { Measured } from './catalog.ts'

const names = process.argv.slice(2)
const catalogFile = new URL('../plugins/catalogs/bundled/models.json', import.meta.url)
const all = names[0] === '*' ? (JSON.parse(readFileSync(catalogFile, 'utf8')) as { providers: string[] }).providers : names
const providers = new Registry<Provider>('provider', ({ id }) => id)
for (const id of all) providers.add({ id, generate: () => Promise.reject(new Error('not asked')) as never }, 'bench')
const sources = new Registry<CatalogSource>('catalog source', ({ name }) => name)

const collect = (globalThis as { gc?: () => void }).gc ?? ((): void => {})
collect()
const before = process.memoryUsage()
const cpuBefore = process.threadCpuUsage()
const start = performance.now()
const { plugin } = bundled({})
const registrar = {
  name: plugin.name,
  resolvePath: (path: string) => path,
  add: (_: unknown, source: CatalogSource) => sources.add(source, plugin.name),
}
await plugin.setup(
  { ...registrar, log: {} as Logger, http: {} as HttpClient } as never,
  { exclude: [], refreshHours: 24, file: 'unused' },
  {
    providers,
    clock: { now: Date.now } as Clock,
  },
)
const index = new CatalogIndex(sources, providers, new Registry<AbsentProvider>('absent provider', ({ id }) => id))
index.start()
const loadMs = performance.now() - start
const { user, system } = process.threadCpuUsage(cpuBefore)
const cpuMs = (user + system) / 1000
const residentMb = (process.memoryUsage.rss() - before.rss) / 1e6
collect()
const heapMb = (process.memoryUsage().heapUsed - before.heapUsed) / 1e6

const some = index.models().filter((_, place) => place % 10 === 0)
const started = performance.now()
for (let round = 0; round < 1000; round++) for (const { id } of some) index.resolve(id)
const resolveNs = some.length === 0 ? 0 : ((performance.now() - started) / (1000 * some.length)) * 1e6
const asked = performance.now()
for (let round = 0; round < 20; round++) index.nearest('openai/gtp-5.4-mni')
const nearestMs = (performance.now() - asked) / 20
const measured: Measured = { models: index.models().length, loadMs, cpuMs, heapMb, residentMb, resolveNs, nearestMs }
console.log(JSON.stringify(measured))
