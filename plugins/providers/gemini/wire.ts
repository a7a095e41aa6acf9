import type { JsonObject } from '../../../core/index.ts'

// The request, from the vendor's "Generating content" reference.

export interface Blob {
  readonly mimeType: string
  readonly data: string
  readonly displayName?: string
}

export interface FileData {
  readonly mimeType?: string
  readonly fileUri: string
}

export interface FunctionCall {
  readonly id?: string
  readonly name: string
  readonly args: JsonObject
}

export interface FunctionResponse {
  readonly id?: string
  readonly name: string
  readonly response: JsonObject
  readonly parts?: readonly { readonly inlineData: Blob }[]
}

/** A union: exactly one of the first five, and its related members. */
export interface Part {
  readonly text?: string
  readonly inlineData?: Blob
  readonly fileData?: FileData
  readonly functionCall?: FunctionCall
  readonly functionResponse?: FunctionResponse
  readonly thought?: true
  readonly thoughtSignature?: string
}

export interface Content {
  readonly role: 'user' | 'model'
  readonly parts: readonly Part[]
}

/** A tool in the words of a caller of this dialect. */
export type OwnTool = JsonObject

export interface FunctionDeclaration {
  readonly name: string
  readonly description: string
  readonly parametersJsonSchema?: JsonObject
}

export type Tool = { readonly functionDeclarations: readonly FunctionDeclaration[] } | { readonly googleSearch: JsonObject }

export interface FunctionCallingConfig {
  readonly mode: 'AUTO' | 'ANY' | 'NONE' | 'VALIDATED'
  readonly allowedFunctionNames?: readonly string[]
}

export type ThinkingLevel = 'MINIMAL' | 'LOW' | 'MEDIUM' | 'HIGH'

export interface ThinkingConfig {
  readonly thinkingBudget?: number
  readonly thinkingLevel?: ThinkingLevel
  readonly includeThoughts?: true
}

export interface SafetySetting {
  readonly category: string
  readonly threshold: string
}

export interface GenerationConfig {
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly seed?: number
  readonly stopSequences?: readonly string[]
  readonly maxOutputTokens?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly responseLogprobs?: true
  readonly logprobs?: number
  readonly responseMimeType?: 'application/json'
  readonly responseJsonSchema?: JsonObject
  readonly thinkingConfig?: ThinkingConfig
}

export interface GenerateContentBody {
  readonly systemInstruction?: { readonly parts: readonly Part[] }
  readonly contents: readonly Content[]
  readonly tools?: readonly (Tool | OwnTool)[]
  readonly toolConfig?: { readonly functionCallingConfig: FunctionCallingConfig } | JsonObject
  readonly generationConfig?: GenerationConfig | JsonObject
  readonly safetySettings?: readonly (SafetySetting | JsonObject)[]
  readonly serviceTier?: 'standard' | 'flex' | 'priority'
  readonly store?: false
}
