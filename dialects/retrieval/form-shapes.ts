import { aCount, aPath, membersLike, someText, turnedOn, type Shape } from '../host/table-shape.ts'
import type { EmbeddingForm } from './embeddings.ts'
import type { RerankForm } from './rerank.ts'

export const embeddingShape: Shape<EmbeddingForm> = {
  path: aPath,
  floatOnly: turnedOn,
  tokens: turnedOn,
  maxInputs: aCount,
  maxTokens: aCount,
  dimensions: someText,
  inputTypes: membersLike({ query: someText, document: someText }, ['query', 'document']),
  typeMember: someText,
  formatMember: someText,
}

export const rerankShape: Shape<RerankForm> = {
  path: aPath,
  top: someText,
  maxDocuments: aCount,
  maxTokensPerDocument: someText,
}
