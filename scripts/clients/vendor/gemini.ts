import { sseFrame } from '../../../core/testing/index.ts'
import { geminiReply } from '../../../test/kit/embedding-vendors.ts'
import { fewTokens, pieces, type Answer } from './answer.ts'
import { imageOf, type Schema, type Turn } from './question.ts'
import type { Wire } from './wire.ts'

interface Body {
  readonly contents: readonly Content[]
  readonly tools?: readonly { readonly functionDeclarations?: readonly Declaration[] }[]
  readonly generationConfig?: { readonly responseSchema?: object; readonly responseJsonSchema?: object }
}

interface Content {
  readonly role?: string
  readonly parts: readonly Part[]
}

interface Part {
  readonly text?: string
  readonly thought?: boolean
  readonly thoughtSignature?: string
  readonly inlineData?: { readonly mimeType: string; readonly data: string }
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: object }
  readonly functionResponse?: {
    readonly id?: string
    readonly response: Readonly<Record<string, unknown>>
    readonly parts?: readonly Part[]
  }
}

interface Declaration {
  readonly name: string
  readonly parameters?: Schema
  readonly parametersJsonSchema?: Schema
}

/** Google's generateContent. */
export const gemini: Wire = {
  question({ url, body }) {
    const [, model, method] = /\/models\/(.+):(\w+)/.exec(decodeURIComponent(url)) ?? []
    const { contents, tools = [], generationConfig: config } = body as Body
    const parts = contents.filter(({ role }) => role !== 'model').flatMap(content => content.parts)
    return {
      model: model ?? '',
      streamed: method === 'streamGenerateContent',
      turns: contents.flatMap(turnsOf),
      tools: tools
        .flatMap(({ functionDeclarations: all = [] }) => all)
        .map(({ name, parameters, parametersJsonSchema }) => ({ name, schema: parametersJsonSchema ?? parameters ?? {} })),
      images: [...parts, ...parts.flatMap(({ functionResponse }) => functionResponse?.parts ?? [])].flatMap(({ inlineData }) =>
        inlineData ? [imageOf(inlineData.mimeType, inlineData.data)] : [],
      ),
      schema: config?.responseJsonSchema ?? config?.responseSchema,
      thinks: true,
    }
  },
  whole: (answer, model) => reply(partsOf(answer), model, answer),
  stream(answer, model) {
    const parts = answer.calls ? partsOf(answer) : pieces(answer.text!).map(text => ({ text }))
    const [first, ...rest] = parts.map((part, index) => sseFrame(reply([part], model, index === parts.length - 1 ? answer : undefined)))
    return { opening: [first!], rest }
  },
  failure: (status, message) => ({ error: { code: status, message, status: statuses[status] ?? 'UNAVAILABLE' } }),
  other: request => (/:(batchE|e)mbedContents?$/.test(request.url) ? geminiReply(request) : undefined),
}

const statuses: Readonly<Record<number, string>> = { 400: 'INVALID_ARGUMENT', 429: 'RESOURCE_EXHAUSTED', 500: 'INTERNAL' }

function partsOf({ text, calls, thought }: Answer): readonly object[] {
  if (!calls) return [{ text }]
  // The state is on the first call.
  return calls.map(({ id, name, arguments: input }, index) => ({
    functionCall: { id, name, args: JSON.parse(input) as object },
    ...(thought && index === 0 && { thoughtSignature: Buffer.from(thought.state).toString('base64') }),
  }))
}

/** `ended`: the answer whose last chunk it is. */
function reply(parts: readonly object[], modelVersion: string, ended: Answer | undefined): object {
  const candidate = { content: { role: 'model', parts }, index: 0, ...(ended && { finishReason: 'STOP' }) }
  return { candidates: [candidate], ...(ended && { usageMetadata: usageOf(ended) }), modelVersion, responseId: 'demo' }
}

function usageOf({ usage = fewTokens }: Answer): object {
  return { promptTokenCount: usage.input, candidatesTokenCount: usage.output, totalTokenCount: usage.input + usage.output }
}

function turnsOf({ role, parts }: Content): readonly Turn[] {
  return parts.flatMap(({ text, functionCall: call, functionResponse: output, thoughtSignature: signature }): readonly Turn[] => {
    const before: readonly Turn[] = signature === undefined ? [] : [{ type: 'thought', state: Buffer.from(signature, 'base64').toString() }]
    if (call) return [...before, { type: 'called', id: call.id ?? '', name: call.name, input: JSON.stringify(call.args ?? {}) }]
    if (output) return [{ type: 'returned', id: output.id ?? '', text: JSON.stringify(output.response) }]
    return text === undefined ? [] : [{ type: 'said', by: role === 'model' ? 'model' : 'user', text }]
  })
}
