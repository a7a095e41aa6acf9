import type { LanguageModelV2, LanguageModelV2StreamPart, LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider'
import { asV2, asV3 } from './older-options.ts'

// The AI SDK's language model specification, in all supported versions. Requests are created in the newest.

export const versions = ['v2', 'v3', 'v4'] as const

export type LanguageModel = LanguageModelV2 | LanguageModelV3 | LanguageModelV4
export type StreamPart = LanguageModelV2StreamPart | LanguageModelV3StreamPart | LanguageModelV4StreamPart
export type GenerateResult = Awaited<ReturnType<LanguageModel['doGenerate']>>
export type Content = GenerateResult['content'][number]
export type Warning = GenerateResult['warnings'][number]
/** A part's metadata, by the provider's name. The provider reads it back from there. */
export type Metadata = NonNullable<GenerateResult['providerMetadata']>

export function doGenerate(model: LanguageModel, options: LanguageModelV4CallOptions): PromiseLike<GenerateResult> {
  switch (model.specificationVersion) {
    case 'v2':
      return model.doGenerate(asV2(options))
    case 'v3':
      return model.doGenerate(asV3(options))
    case 'v4':
      return model.doGenerate(options)
  }
}

export async function doStream(model: LanguageModel, options: LanguageModelV4CallOptions): Promise<ReadableStream<StreamPart>> {
  switch (model.specificationVersion) {
    case 'v2':
      return (await model.doStream(asV2(options))).stream
    case 'v3':
      return (await model.doStream(asV3(options))).stream
    case 'v4':
      return (await model.doStream(options)).stream
  }
}
