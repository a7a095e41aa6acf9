import type { ProviderCall } from '../../../core/index.ts'
import { conversationOf } from './contents.ts'
import { settingsFor } from './settings.ts'
import { toolsFor } from './tools.ts'
import type { Content, GenerateContentBody, Part, SafetySetting } from './wire.ts'

export const dialect = 'gemini'

export interface RequestOptions {
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /** The address of files stored under an id. Undefined if the platform does not store files. */
  readonly filesUrl?: string | undefined
  /** True if this is the vendor's own API, which supports `store` and `serviceTier`. */
  readonly ownApi?: boolean | undefined
}

/** The body of `generateContent`. Pure. */
export function requestBody(call: ProviderCall, { safetySettings, filesUrl, ownApi }: RequestOptions = {}): GenerateContentBody {
  const { request } = call
  const { traits, format, config } = settingsFor(call)
  const { system, contents } = conversationOf(request.input, { traits, filesUrl })
  const instructions = [...text(request.instructions), ...system, ...text(format.line)]
  const tier = request.service_tier
  return {
    ...(request.extra?.dialect === dialect && request.extra.fields),
    ...(instructions.length > 0 && traits.systemInstruction && { systemInstruction: { parts: instructions } }),
    contents: traits.systemInstruction ? contents : openedBy(instructions, contents),
    ...toolsFor(request),
    ...(Object.keys(config).length > 0 && { generationConfig: config }),
    ...(safetySettings && safetySettings.length > 0 && { safetySettings }),
    ...(ownApi && { store: false }),
    ...(ownApi && (tier === 'flex' || tier === 'priority') && { serviceTier: tier }),
  }
}

/** For models without system instructions, puts them into the first turn, which is always the user's. */
function openedBy(instructions: readonly Part[], [first, ...rest]: readonly Content[]): readonly Content[] {
  return [{ role: 'user', parts: [...instructions, ...(first?.parts ?? [])] }, ...rest]
}

function text(content: string | undefined): readonly Part[] {
  return content === undefined || content.trim() === '' ? [] : [{ text: content }]
}
