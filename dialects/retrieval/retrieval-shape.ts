import type { HostPlugin } from '../host/host-plugin.ts'
import { departuresShape, placeShape } from '../host/host-shape.ts'
import { pluginShape } from '../host/plugin-shape.ts'
import { membersLike, someText, type Shape } from '../host/table-shape.ts'
import { embeddingShape, rerankShape } from './form-shapes.ts'
import type { RetrievalHost } from './retrieval-host.ts'

const { keyHeader, keyScheme, headers, capabilities, errors } = departuresShape([])

/** The check of every member of a host's table. */
export const retrievalShape: Shape<RetrievalHost & HostPlugin<RetrievalHost>> = {
  ...pluginShape,
  ...placeShape,
  keyHeader,
  keyScheme,
  headers,
  capabilities,
  errors,
  vendor: someText,
  embeddings: membersLike(embeddingShape),
  reranking: membersLike(rerankShape),
}
