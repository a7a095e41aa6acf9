import type { JsonObject } from '../../../core/index.ts'
import { bodyValidator, maxCallIdLength, maxTextLength, requestSchema, type Routing } from '../../../core/kit.ts'
import { camelCased, type Shape } from './spelling.ts'

// The body of `generateContent`: docs/protocol/gemini.md#request. Unknown members are allowed everywhere.

const string = { type: 'string' } as const
const boolean = { type: 'boolean' } as const
const shared = requestSchema.properties
const name = { type: 'string', minLength: 1, maxLength: 128 } as const
const callId = { type: 'string', maxLength: maxCallIdLength } as const
const maxSignatureLength = 20_971_520

const blob = { type: 'object', required: ['data'], properties: { mimeType: string, data: string, displayName: string } } as const
const fileData = {
  type: 'object',
  required: ['fileUri'],
  properties: { mimeType: string, fileUri: { type: 'string', minLength: 1, maxLength: 20_971_520 }, displayName: string },
} as const

/** A part has one of the first members, or one that only the vendor knows. */
const part = {
  type: 'object',
  minProperties: 1,
  properties: {
    text: { type: 'string', maxLength: maxTextLength },
    inlineData: blob,
    fileData,
    functionCall: { type: 'object', required: ['name'], properties: { id: callId, name, args: { type: 'object' } } },
    functionResponse: {
      type: 'object',
      required: ['name'],
      properties: {
        id: callId,
        name,
        response: { type: 'object' },
        parts: { type: 'array', maxItems: 1_000, items: { type: 'object', properties: { inlineData: blob, fileData } } },
      },
    },
    executableCode: { type: 'object' },
    codeExecutionResult: { type: 'object' },
    thought: boolean,
    thoughtSignature: { type: 'string', maxLength: maxSignatureLength },
  },
} as const

const parts = { type: 'array', maxItems: 10_000, items: part } as const

const functionDeclaration = {
  type: 'object',
  required: ['name'],
  properties: {
    name: { type: 'string', minLength: 1, maxLength: 128, pattern: '^[a-zA-Z0-9_.:-]+$' },
    description: string,
    parameters: { type: 'object' },
    parametersJsonSchema: { type: 'object' },
  },
} as const

const generationConfig = {
  type: 'object',
  properties: {
    temperature: shared.temperature,
    topP: shared.top_p,
    topK: { type: 'number', minimum: 0, maximum: shared.top_k.maximum },
    maxOutputTokens: shared.max_output_tokens,
    stopSequences: shared.stop,
    candidateCount: { type: 'integer', minimum: 1, maximum: 8 },
    seed: shared.seed,
    presencePenalty: shared.presence_penalty,
    frequencyPenalty: shared.frequency_penalty,
    responseMimeType: string,
    responseSchema: { type: 'object' },
    responseJsonSchema: { type: 'object' },
    responseLogprobs: boolean,
    logprobs: shared.top_logprobs,
    thinkingConfig: {
      type: 'object',
      properties: {
        thinkingBudget: { type: 'integer', minimum: -1, maximum: 9_007_199_254_740_991 },
        thinkingLevel: string,
        includeThoughts: boolean,
      },
    },
    responseModalities: { type: 'array', maxItems: 16, items: string },
    speechConfig: { type: 'object' },
    mediaResolution: string,
  },
} as const

/** Errors name the first member that is wrong, in this order. */
export const contentBodySchema = {
  type: 'object',
  required: ['contents'],
  properties: {
    contents: {
      type: 'array',
      minItems: 1,
      maxItems: 10_000,
      items: { type: 'object', properties: { role: { enum: ['user', 'model', 'function', 'system', ''] }, parts } },
    },
    systemInstruction: { type: 'object', required: ['parts'], properties: { role: string, parts } },
    tools: {
      type: 'array',
      maxItems: shared.tools.maxItems,
      items: {
        type: 'object',
        properties: {
          functionDeclarations: { type: 'array', maxItems: shared.tools.maxItems, items: functionDeclaration },
          googleSearch: { type: 'object' },
          googleSearchRetrieval: { type: 'object' },
        },
      },
    },
    toolConfig: {
      type: 'object',
      properties: {
        functionCallingConfig: {
          type: 'object',
          properties: { mode: string, allowedFunctionNames: { type: 'array', maxItems: shared.tools.maxItems, items: name } },
        },
      },
    },
    generationConfig,
    safetySettings: { type: 'array', maxItems: 100, items: { type: 'object', properties: { category: string, threshold: string } } },
    cachedContent: string,
    labels: { type: 'object' },
    serviceTier: string,
    sessionId: shared.session_id,
    routing: shared.routing,
  },
} as const

const blobShape: Shape = { mimeType: true, data: true, displayName: true }
const fileShape: Shape = { mimeType: true, fileUri: true, displayName: true }
const partShape: Shape = {
  text: true,
  inlineData: blobShape,
  fileData: fileShape,
  functionCall: { id: true, name: true, args: true, partialArgs: true, willContinue: true },
  functionResponse: {
    id: true,
    name: true,
    response: true,
    parts: { inlineData: blobShape, fileData: fileShape },
    willContinue: true,
    scheduling: true,
  },
  executableCode: { id: true, language: true, code: true },
  codeExecutionResult: { id: true, outcome: true, output: true },
  toolCall: true,
  toolResponse: true,
  thought: true,
  thoughtSignature: true,
  videoMetadata: { startOffset: true, endOffset: true, fps: true },
  mediaResolution: true,
  partMetadata: true,
}

export const contentShape: Shape = { role: true, parts: partShape }

const named = (properties: object): Shape => Object.fromEntries(Object.keys(properties).map(member => [member, true]))

/** Schemas, arguments and results have names of the caller's own. */
const bodyShape: Shape = {
  ...named(contentBodySchema.properties),
  model: true,
  store: true,
  contents: contentShape,
  systemInstruction: contentShape,
  tools: {
    functionDeclarations: { ...named(functionDeclaration.properties), behavior: true, response: true, responseJsonSchema: true },
    googleSearch: { timeRangeFilter: true, searchTypes: true },
    googleSearchRetrieval: true,
    codeExecution: true,
    urlContext: true,
    googleMaps: true,
    fileSearch: true,
    computerUse: true,
    mcpServers: true,
    enterpriseWebSearch: true,
    retrieval: true,
  },
  toolConfig: {
    functionCallingConfig: { mode: true, allowedFunctionNames: true },
    retrievalConfig: true,
    includeServerSideToolInvocations: true,
  },
  generationConfig: {
    ...named(generationConfig.properties),
    thinkingConfig: { thinkingBudget: true, thinkingLevel: true, includeThoughts: true },
    imageConfig: true,
    enableEnhancedCivicAnswers: true,
    audioTimestamp: true,
  },
}

export interface Blob {
  readonly mimeType?: string
  readonly data: string
  readonly displayName?: string
}

export interface FileData {
  readonly mimeType?: string
  readonly fileUri: string
}

export interface Media extends JsonObject {
  readonly inlineData?: Blob
  readonly fileData?: FileData
}

export interface WirePart extends Media {
  readonly text?: string
  readonly functionCall?: JsonObject & { readonly id?: string; readonly name: string; readonly args?: JsonObject }
  readonly functionResponse?: JsonObject & {
    readonly id?: string
    readonly name: string
    readonly response?: JsonObject
    readonly parts?: readonly Media[]
  }
  readonly thought?: boolean
  readonly thoughtSignature?: string
}

export interface WireContent {
  readonly role?: 'user' | 'model' | 'function' | 'system' | ''
  readonly parts?: readonly WirePart[]
}

export interface WireFunction extends JsonObject {
  readonly name: string
  readonly description?: string
  readonly parameters?: JsonObject
  readonly parametersJsonSchema?: JsonObject
}

export interface WireTool extends JsonObject {
  readonly functionDeclarations?: readonly WireFunction[]
  readonly googleSearch?: JsonObject
  readonly googleSearchRetrieval?: JsonObject
}

export interface GenerationConfig extends JsonObject {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly maxOutputTokens?: number
  readonly stopSequences?: readonly string[]
  readonly candidateCount?: number
  readonly seed?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseMimeType?: string
  readonly responseSchema?: JsonObject
  readonly responseJsonSchema?: JsonObject
  readonly responseLogprobs?: boolean
  readonly logprobs?: number
  readonly thinkingConfig?: { readonly thinkingBudget?: number; readonly thinkingLevel?: string; readonly includeThoughts?: boolean }
}

/** A body that passed the check. */
export interface ContentBody extends JsonObject {
  readonly contents: readonly WireContent[]
  readonly systemInstruction?: WireContent
  readonly tools?: readonly WireTool[]
  readonly toolConfig?: JsonObject & {
    readonly functionCallingConfig?: { readonly mode?: string; readonly allowedFunctionNames?: readonly string[] }
  }
  readonly generationConfig?: GenerationConfig
  readonly serviceTier?: string
  readonly sessionId?: string
  readonly routing?: Routing
}

const check = bodyValidator(contentBodySchema)

/** The body in the names and forms of the schema. Throws a 400 for the first problem. */
export function checkedContent(body: JsonObject): ContentBody {
  const read = camelCased(body, bodyShape) as JsonObject
  const { systemInstruction: system } = read
  const said =
    typeof system === 'string'
      ? { ...read, systemInstruction: { parts: [{ text: system }] } }
      : isTextAlone(system)
        ? { ...read, systemInstruction: { parts: [system] } }
        : read
  check(said)
  return said as unknown as ContentBody
}

function isTextAlone(system: unknown): boolean {
  return typeof system === 'object' && system !== null && 'text' in system && !('parts' in system)
}
