import { isObject, type JsonObject, type ProviderCall } from '../../../core/index.ts'
import { conversationOf } from './contents.ts'
import { exactOf, fieldsOf } from './own-dialect.ts'
import { settingsFor } from './settings.ts'
import { toolsFor } from './tools.ts'
import type { Content, GenerateContentBody, Part, SafetySetting } from './wire.ts'

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
  const isOwn = exactOf(request) !== undefined
  const { system, contents } = conversationOf(request.input, { traits, filesUrl, isOwn })
  const instructions = [...text(request.instructions), ...system, ...text(format.line)]
  const tier = request.service_tier
  const { safetySettings: callers, ...fields } = fieldsOf(request)
  const safety = safetyFor(safetySettings, callers)
  const { tools, toolConfig } = toolsFor(request)
  const toolFields = fieldsOf(request, 'toolConfig')
  const generationConfig = { ...fieldsOf(request, 'generationConfig'), ...config }
  return {
    ...fields,
    ...(instructions.length > 0 && traits.systemInstruction && { systemInstruction: { parts: instructions } }),
    contents: traits.systemInstruction ? contents : openedBy(instructions, contents),
    ...(tools && { tools }),
    ...((toolConfig || Object.keys(toolFields).length > 0) && { toolConfig: { ...toolFields, ...toolConfig } }),
    ...(Object.keys(generationConfig).length > 0 && { generationConfig }),
    ...(safety.length > 0 && { safetySettings: safety }),
    ...(ownApi && { store: false }),
    ...(ownApi && (tier === 'flex' || tier === 'priority') && { serviceTier: tier }),
  }
}

/** The operator's, and the caller's for other categories. */
function safetyFor(operators: readonly SafetySetting[] = [], callers: unknown): readonly (SafetySetting | JsonObject)[] {
  if (!Array.isArray(callers)) return operators
  const others = callers.filter(each => isObject(each) && !operators.some(({ category }) => category === each['category']))
  return [...operators, ...(others as readonly JsonObject[])]
}

/** For models without system instructions, puts them into the first turn, which is always the user's. */
function openedBy(instructions: readonly Part[], [first, ...rest]: readonly Content[]): readonly Content[] {
  return [{ role: 'user', parts: [...instructions, ...(first?.parts ?? [])] }, ...rest]
}

function text(content: string | undefined): readonly Part[] {
  return content === undefined || content.trim() === '' ? [] : [{ text: content }]
}
