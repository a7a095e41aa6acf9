import { invalidRequest, type JsonObject } from '../../../core/index.ts'
import { bodyValidator, type EmbeddingPurpose, type EmbeddingRequest, type Warning, wording, own } from '../../../core/kit.ts'
import { camelCased, type Shape } from './spelling.ts'
import { modelNamed } from './target.ts'

// The bodies of `embedContent` and `batchEmbedContents`: docs/protocol/gemini.md#embeddings.

const string = { type: 'string' } as const
const maxInputs = 2_048

export const embedSchema = {
  type: 'object',
  required: ['content'],
  properties: {
    model: string,
    content: {
      type: 'object',
      required: ['parts'],
      properties: {
        role: string,
        parts: {
          type: 'array',
          minItems: 1,
          maxItems: 1_000,
          items: { type: 'object', required: ['text'], properties: { text: { type: 'string', maxLength: 10_485_760 } } },
        },
      },
    },
    taskType: string,
    title: string,
    outputDimensionality: { type: 'integer', minimum: 1, maximum: 65_536 },
  },
} as const

export const batchSchema = {
  type: 'object',
  required: ['requests'],
  properties: { requests: { type: 'array', minItems: 1, maxItems: maxInputs, items: embedSchema } },
} as const

const shape: Shape = {
  model: true,
  content: { role: true, parts: { text: true } },
  taskType: true,
  title: true,
  outputDimensionality: true,
}
const checkOne = bodyValidator(embedSchema)
const checkBatch = bodyValidator(batchSchema)

/** https://ai.google.dev/api/embeddings: TaskType */
const purposes: Readonly<Record<string, EmbeddingPurpose>> = {
  RETRIEVAL_QUERY: 'query',
  RETRIEVAL_DOCUMENT: 'document',
  SEMANTIC_SIMILARITY: 'similarity',
  CLASSIFICATION: 'classification',
  CLUSTERING: 'clustering',
  QUESTION_ANSWERING: 'question',
  FACT_VERIFICATION: 'fact',
  CODE_RETRIEVAL_QUERY: 'code',
}

interface Entry {
  readonly model?: string
  readonly content: { readonly parts: readonly { readonly text: string }[] }
  readonly taskType?: string
  readonly title?: string
  readonly outputDimensionality?: number
}

export interface ParsedEmbeddings {
  readonly request: EmbeddingRequest
  readonly warnings: readonly Warning[]
}

/** Throws a 400 that names the member by its path. */
export function parseEmbedContents(body: JsonObject, model: string, isBatch: boolean): ParsedEmbeddings {
  const read = camelCased(body, isBatch ? { requests: shape } : shape) as JsonObject
  if (isBatch) checkBatch(read)
  else checkOne(read)
  const entries = (isBatch ? read['requests'] : [read]) as readonly Entry[]
  const first = entries[0]!
  const warnings: Warning[] = []
  const input = entries.map((entry, index) => {
    const path = isBatch ? `requests[${index}].` : ''
    if (entry.model !== undefined && entry.model !== '' && modelNamed(entry.model) !== model)
      throw invalidRequest(wording`${own(path)}model must be that of the path, ${model}. Send one request per model.`, `${path}model`)
    // A gateway's request has one purpose and one length.
    for (const member of ['taskType', 'outputDimensionality'] as const)
      if (entry[member] !== first[member])
        throw invalidRequest(
          wording`${own(path)}${own(member)} must be that of requests[0]. Send the others in a request of their own.`,
          `${path}${member}`,
        )
    const text = entry.content.parts.map(part => part.text).join('\n')
    if (text === '') throw invalidRequest(wording`${own(path)}content must have a text that is not empty.`, `${path}content.parts`)
    return text
  })
  if (entries.some(({ title }) => title !== undefined)) warnings.push({ param: 'title', message: 'it was left out' })
  const purpose = purposeOf(first.taskType, warnings)
  const dimensions = first.outputDimensionality
  return {
    request: { model, input, format: 'float', ...(dimensions !== undefined && { dimensions }), ...(purpose && { purpose }) },
    warnings,
  }
}

function purposeOf(taskType: string | undefined, warnings: Warning[]): EmbeddingPurpose | undefined {
  const name = taskType?.toUpperCase() ?? ''
  if (name === '' || name === 'TASK_TYPE_UNSPECIFIED') return undefined
  const purpose = purposes[name]
  if (!purpose) warnings.push({ param: 'taskType', message: `${JSON.stringify(name.slice(0, 64))} is unknown, so it was left out` })
  return purpose
}
