import { invalidRequest, isObject, type JsonObject } from '../../../core/index.ts'
import { bodyValidator, type RerankRequest, wording } from '../../../core/kit.ts'
import { rerankSchema } from './request-body.ts'

const validate = bodyValidator(rerankSchema)
const known: ReadonlySet<string> = new Set(Object.keys(rerankSchema.properties))

export interface ParsedRerank {
  readonly request: RerankRequest
  readonly returnsDocuments: boolean
}

interface Body {
  readonly model: string
  readonly query: string
  readonly documents: readonly (string | { readonly text: string })[]
  readonly top_n?: number | null
  readonly top_k?: number | null
  readonly return_documents?: boolean | null
  readonly max_tokens_per_doc?: number | null
  readonly user?: string | null
  readonly routing?: { readonly provider?: JsonObject }
}

/** Checks the body of `POST /v1/rerank`. Throws a 400 that names the member by its path. */
export function parseRerank(body: unknown): ParsedRerank {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  validate(body)
  const {
    model,
    query,
    documents,
    top_n: topN,
    top_k: topK,
    max_tokens_per_doc: maxTokens,
    user,
    routing,
    ...rest
  } = body as unknown as Body
  const top = topN ?? topK
  const extra = Object.entries(rest).filter(([name]) => !known.has(name))
  return {
    request: {
      model,
      query,
      documents: documents.map(each => (typeof each === 'string' ? each : each.text)),
      ...(top != null && { top: Math.min(top, documents.length) }),
      ...(maxTokens != null && { maxTokensPerDocument: maxTokens }),
      ...(user != null && { user }),
      ...(routing?.provider && { routing: { provider: routing.provider } }),
      ...(extra.length > 0 && { extra: Object.fromEntries(extra) }),
    },
    returnsDocuments: rest.return_documents === true,
  }
}
