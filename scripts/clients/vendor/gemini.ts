import { sseFrame } from '../../../core/testing/index.ts'
import { geminiReply } from '../../../test/kit/embedding-vendors.ts'
import { pieces, type Answer } from './answer.ts'
import { imageOf, type Schema } from './question.ts'
import type { Wire } from './wire.ts'

interface Body {
  readonly contents: readonly { readonly role?: string; readonly parts: readonly Part[] }[]
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[]
  readonly generationConfig?: { readonly responseSchema?: object; readonly responseJsonSchema?: object }
}

interface Part {
  readonly text?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionResponse?: { readonly response: Readonly<Record<string, unknown>>; readonly parts?: readonly Part[] }
}

interface Declaration {
  readonly name: string
  readonly parameters?: Schema
  readonly parametersJsonSchema?: Schema
}

const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 4, totalTokenCount: 13 }

/** Google's generateContent. */
export const gemini: Wire = {
  question({ url, body }) {
    const [, model, method] = /\/models\/(.+):(\w+)/.exec(decodeURIComponent(url)) ?? []
    const { contents, tools = [], generationConfig: config } = body as Body
    const parts = contents.filter(({ role }) => role !== 'model').flatMap(content => content.parts)
    return {
      model: model ?? '',
      streamed: method === 'streamGenerateContent',
      text: parts.map(({ text = '' }) => text).join('\n'),
      tools: tools
        .flatMap(({ functionDeclarations: all = [] }) => all)
        .map(({ name, parameters, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema ?? parameters ?? {} })),
      outputs: parts.flatMap(({ functionResponse: output }) => (output ? [JSON.stringify(output.response)] : [])),
      images: [...parts, ...parts.flatMap(({ functionResponse }) => functionResponse?.parts ?? [])].flatMap(({ inlineData }) =>
        inlineData ? [imageOf(inlineData.mimeType, inlineData.data)] : [],
      ),
      schema: config?.responseJsonSchema ?? config?.responseSchema,
    }
  },
  whole: (answer, model) => reply(partsOf(answer), model, true),
  stream(answer, model) {
    const parts = answer.calls ? partsOf(answer) : pieces(answer.text!).map(text => ({ text }))
    const [first, ...rest] = parts.map((part, index) => sseFrame(reply([part], model, index === parts.length - 1)))
    return { opening: [first!], rest }
  },
  failure: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? 'UNAVAILABLE' } }),
  other: request => (/:(batchE|e)mbedContents?$/.test(request.url) ? geminiReply(request) : undefined),
}

const statuses: Readonly<Record<number, string>> = { 400: 'INVALID_ARGUMENT', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL' }

function partsOf({ text, calls }: Answer): readonly object[] {
  if (!calls) return [{ text }]
  return calls.map(({ id, name, arguments: input }) => ({ functionCall: { id, name, args: JSON.parse(input) as object } }))
}

function reply(parts: readonly object[], modelVersion: string, isLast: boolean): object {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(isLast && { finishReason: 'STOP' }) }
  return { candidates: [candidate], ...(isLast && { usageMetadata }), modelVersion, responseId: 'demo' }
}
