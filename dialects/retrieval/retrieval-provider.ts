import type { Plugin } from '../../core/index.ts'
import { hostPlugin, type HostDialect, type HostPlugin, type HostSchema, type OptionSchemas } from '../host/host-plugin.ts'
import { retrievalAdapter } from './adapter.ts'
import type { RetrievalHost } from './retrieval-host.ts'
import { retrievalShape } from './retrieval-shape.ts'

const retrievalDialect: HostDialect<RetrievalHost> = { path: '/embeddings', shape: retrievalShape, adapter: retrievalAdapter }

/** The table of a vendor that makes embeddings or reranks, and generates nothing. */
export type RetrievalProviderTable<P extends OptionSchemas, R extends readonly string[]> = RetrievalHost & HostPlugin<RetrievalHost, P, R>

/** The plugin of a vendor that makes embeddings or reranks, and generates nothing. The table is checked at the start of a gateway. */
export function retrievalProvider<const P extends OptionSchemas = {}, const R extends readonly string[] = readonly []>(
  table: RetrievalProviderTable<P, R>,
): Plugin<HostSchema<P, R>> {
  return hostPlugin<RetrievalHost, P, R>(retrievalDialect, table, retrievalProvider)
}
