import { invalidRequest, type GenerationRequest, type Item, type JsonObject } from '../../../core/index.ts'
import { type AnswerDetail, type Warning, wording } from '../../../core/kit.ts'
import { itemsOf, systemParts } from './contents.ts'
import type { Circumstances } from './passing.ts'
import { checkedContent, type ContentBody, type GenerationConfig } from './request-body.ts'
import { formatOf, otherSettings, reasoningSettings } from './settings.ts'
import { toolsOf } from './tools.ts'

export interface ParsedContent {
  readonly request: GenerationRequest
  readonly warnings: readonly Warning[]
  /** The body, for the record. */
  readonly recorded: JsonObject
}

/** The name of the vendor's dialect. */
const dialect = 'gemini'

/** Checks the body of `generateContent`, and says it in core's words. Throws a 400 that names the field by its path. */
export function parseContent(given: JsonObject, circumstances: Circumstances): ParsedContent {
  const body = checkedContent(given)
  const { contents, systemInstruction: system, generationConfig: config = {}, routing } = body
  const { model, stream } = circumstances
  const instructions = system ? systemParts(system) : []
  const input: Item[] = instructions.length > 0 ? [{ type: 'message', role: 'system', content: instructions }] : []
  const said = itemsOf(contents)
  if (said.length === 0) throw invalidRequest(wording`contents must have content, but every part is empty.`, 'contents')
  input.push(...said)
  const warnings: Warning[] = []
  const tools = toolsOf(body, circumstances, warnings)
  const reasoning = reasoningSettings(config)
  const format = formatOf(config)
  const tier = tierOf(body)
  const request: GenerationRequest = {
    model,
    input,
    ...(stream && { stream }),
    ...sampling(config),
    ...(reasoning && { reasoning }),
    ...(format && { text: { format } }),
    ...tools,
    details: tools.tools?.some(({ type }) => type === 'web_search') ? searchDetails : details,
    ...(tier && { service_tier: tier }),
    ...(body.sessionId && { session_id: body.sessionId }),
    ...(routing && { routing }),
    extra: { dialect, fields: otherMembers(body), exact: exactOf(body) },
  }
  return { request, warnings, recorded: { model, ...given } }
}

const details: readonly AnswerDetail[] = ['reasoning-state']
const searchDetails: readonly AnswerDetail[] = ['reasoning-state', 'search-results', 'search-sources']

function sampling(config: GenerationConfig): Partial<GenerationRequest> {
  const { temperature, topP, topK, maxOutputTokens, candidateCount = 1, stopSequences, seed, presencePenalty, frequencyPenalty } = config
  const logprobs = config.responseLogprobs === true
  return {
    ...(maxOutputTokens !== undefined && { max_output_tokens: maxOutputTokens }),
    ...(candidateCount > 1 && { choices: candidateCount }),
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(topK !== undefined && { top_k: Math.round(topK) }),
    ...(stopSequences?.length && { stop: stopSequences }),
    ...(seed !== undefined && { seed }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(logprobs && { logprobs }),
    ...(logprobs && config.logprobs !== undefined && { top_logprobs: config.logprobs }),
  }
}

const tiers: Readonly<Record<string, GenerationRequest['service_tier']>> = { standard: 'default', flex: 'flex', priority: 'priority' }

function tierOf({ serviceTier = '' }: ContentBody): GenerationRequest['service_tier'] {
  return tiers[serviceTier.toLowerCase().replace(/^service_tier_/, '')]
}

/** `store` never passes: vendors are told not to store. */
const known = new Set([
  'model',
  'contents',
  'systemInstruction',
  'tools',
  'generationConfig',
  'serviceTier',
  'sessionId',
  'routing',
  'store',
])

/** Members that the neutral request cannot say, each with its path. */
function otherMembers(body: ContentBody): JsonObject {
  const fields: Record<string, unknown> = {}
  for (const name in body) {
    if (known.has(name)) continue
    if (name !== 'toolConfig') fields[name] = body[name]
    else for (const member in body.toolConfig) if (member !== 'functionCallingConfig') fields[`${name}.${member}`] = body.toolConfig[member]
  }
  return { ...fields, ...otherSettings(body.generationConfig ?? {}) }
}

/** What the neutral request says in other words. */
function exactOf({ generationConfig: config = {}, tools = [], toolConfig }: ContentBody): JsonObject {
  const { thinkingConfig, responseMimeType, responseSchema, responseJsonSchema } = config
  const functions = tools.flatMap(tool => tool.functionDeclarations ?? [])
  const hasFormat = formatOf(config) !== undefined
  const calling = toolConfig?.functionCallingConfig
  return {
    ...(thinkingConfig && { thinkingConfig }),
    ...(hasFormat && {
      format: {
        ...(responseMimeType !== undefined && { responseMimeType }),
        ...(responseSchema && { responseSchema }),
        ...(responseJsonSchema && { responseJsonSchema }),
      },
    }),
    ...(functions.length > 0 && { functions }),
    ...(calling && { functionCallingConfig: calling }),
  }
}
