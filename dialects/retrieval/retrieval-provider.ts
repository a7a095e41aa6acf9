import type { Plugin } from '../../core/index.ts'
import {
  hostPlugin,
  type AccountMeaning,
  type HostDialect,
  type HostPlugin,
  type HostSchema,
  type OptionSchemas,
} from '../host/host-plugin.ts'
import { retrievalAdapter } from './adapter.ts'
import type { RetrievalHost } from './retrieval-host.ts'
import { retrievalShape } from './retrieval-shape.ts'

const retrievalDialect: HostDialect<RetrievalHost> = { path: '/embeddings', shape: retrievalShape, adapter: retrievalAdapter }

/** The table of a vendor that makes embeddings or reranks, and generates nothing. */
export type RetrievalProviderTable<
  P extends OptionSchemas,
  R extends readonly string[],
  A extends AccountMeaning = AccountMeaning,
> = RetrievalHost & HostPlugin<RetrievalHost, P, R, A>

/** The plugin of a vendor that makes embeddings or reranks, and generates nothing. The table is checked at the start of a gateway. */
export function retrievalProvider<
  const P extends OptionSchemas = {},
  const R extends readonly string[] = readonly [],
  A extends AccountMeaning = undefined,
>(table: RetrievalProviderTable<P, R, A>): Plugin<HostSchema<P, R, A>> {
  return hostPlugin<RetrievalHost, P, R, A>(retrievalDialect, table, retrievalProvider)
}
