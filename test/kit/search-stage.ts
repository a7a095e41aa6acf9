import {
  ProviderFailure,
  SearchEngines,
  type FoundPage,
  type GenerationEvent,
  type Provider,
  type SearchEngine,
  type SearchQuery,
} from '../../core/index.ts'
import type { SearchCall } from '../../core/kit.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { adding, stop, text, usage, type Witness, witness } from './stage.ts'
import { calling, toCall } from './tool-stage.ts'

export interface FakeEngine {
  readonly plugin: PluginUse
  readonly asked: SearchQuery[]
}

export const pages: readonly FoundPage[] = [
  { url: 'https://example.com/a', title: 'A', text: 'All about <b>A</b>.', publishedAt: '2026-01-02' },
  { url: 'https://docs.example.com/b', title: 'B', text: 'All about B.' },
]

/** A search engine that keeps its queries. */
export function engine(
  name: string,
  search: (query: SearchQuery, call: SearchCall) => readonly FoundPage[] | Promise<readonly FoundPage[]> = () => pages,
  more: Partial<SearchEngine> = {},
): FakeEngine {
  const asked: SearchQuery[] = []
  const plugin = adding<SearchEngine>(SearchEngines, {
    name,
    seesContent: { zdr: false, hipaa: false },
    async search(query, call) {
      asked.push(query)
      return { results: await search(query, call) }
    },
    ...more,
  })
  return { plugin, asked }
}

export function broken(kind: ProviderFailure['kind'] = 'unavailable'): () => never {
  return () => {
    throw new ProviderFailure({ kind, message: 'the key tp_demo_engine was refused', status: 500 })
  }
}

/** A model that searches once in each of these rounds, then answers. */
export function searching(id: string, queries: readonly string[], more: Partial<Provider> = {}): Witness {
  return witness(
    id,
    ({ request }, count): Iterable<GenerationEvent> =>
      count <= queries.length && request.tools?.some(tool => tool.type === 'function' && tool.name === 'managed_web_search')
        ? [...calling('managed_web_search', { query: queries[count - 1] }, `k${count}`), usage(10, 5), toCall]
        : [text('done'), usage(10, 5), stop],
    more,
  )
}
