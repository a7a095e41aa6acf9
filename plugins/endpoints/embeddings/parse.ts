import { invalidRequest, isObject, type JsonObject } from '../../../core/index.ts'
import { bodyValidator, type EmbeddingInput, type EmbeddingPurpose, type EmbeddingRequest, own, wording } from '../../../core/kit.ts'
import { embeddingsSchema, maxInputs } from './request-body.ts'

const validate = bodyValidator(embeddingsSchema)
const known: ReadonlySet<string> = new Set([...Object.keys(embeddingsSchema.properties), 'input'])

/** Names of purposes at the vendors whose callers are likely to send them. */
const purposes: Readonly<Record<string, EmbeddingPurpose>> = {
  query: 'query',
  search_query: 'query',
  retrieval_query: 'query',
  document: 'document',
  passage: 'document',
  search_document: 'document',
  retrieval_document: 'document',
  classification: 'classification',
  clustering: 'clustering',
  semantic_similarity: 'similarity',
}

/** Checks the body of `POST /v1/embeddings`. Throws a 400 that names the member by its path. */
export function parseEmbeddings(body: unknown): EmbeddingRequest {
  if (!isObject(body)) throw invalidRequest(wording`The body must be a JSON object.`)
  const { input, ...rest } = body
  // The validator would visit each token.
  validate({ ...rest, ...(input !== undefined && { input: '' }) })
  const { model, dimensions, encoding_format: format, user, input_type: type, routing } = body as unknown as Body
  const purpose = typeof type === 'string' ? purposes[type.toLowerCase()] : undefined
  const extra = extraOf(body)
  return {
    model,
    input: inputsOf(input),
    format: format ?? 'float',
    ...(dimensions != null && { dimensions }),
    ...(user != null && { user }),
    ...(purpose && { purpose }),
    ...(routing?.provider && { routing: { provider: routing.provider } }),
    ...(extra && { extra }),
  }
}

interface Body {
  readonly model: string
  readonly dimensions?: number | null
  readonly encoding_format?: 'float' | 'base64' | null
  readonly user?: string | null
  readonly input_type?: string | null
  readonly routing?: { readonly provider?: JsonObject }
}

/** Members that vendors may know, `input_type` among them. */
function extraOf(body: JsonObject): JsonObject | undefined {
  let extra: Record<string, unknown> | undefined
  for (const name in body) if (!known.has(name) || (name === 'input_type' && body[name] != null)) (extra ??= {})[name] = body[name]
  return extra
}

function inputsOf(input: unknown): readonly EmbeddingInput[] {
  if (typeof input === 'string') return [textAt(input, 'input')]
  if (!Array.isArray(input) || input.length === 0)
    throw invalid('input', 'expected a text or a list of tokens, or a list of either that is not empty')
  const list = input as readonly unknown[]
  if (typeof list[0] === 'number') return [tokensAt(list, 'input')]
  if (list.length > maxInputs)
    throw invalid('input', `expected at most ${maxInputs} inputs, but got ${list.length}. Send them in several requests`)
  const isText = typeof list[0] === 'string'
  return list.map((each, index) => {
    const path = `input[${index}]`
    return isText ? textAt(each, path) : tokensAt(each, path)
  })
}

function textAt(text: unknown, path: string): string {
  if (typeof text !== 'string') throw invalid(path, 'expected a text like those before it')
  if (text === '') throw invalid(path, 'expected a text that is not empty')
  return text
}

function tokensAt(tokens: unknown, path: string): readonly number[] {
  if (!Array.isArray(tokens) || tokens.length === 0) throw invalid(path, 'expected a text, or a list of tokens that is not empty')
  const list = tokens as readonly unknown[]
  const bad = list.findIndex(token => !Number.isInteger(token) || (token as number) < 0 || (token as number) > 2_147_483_647)
  if (bad >= 0) throw invalid(`${path}[${bad}]`, 'expected a token, which is a whole number from 0')
  return list as readonly number[]
}

function invalid(path: string, expected: string): Error {
  return invalidRequest(wording`Invalid value for '${own(path)}': ${own(expected)}.`, path)
}
