import type { Item } from '../../contracts/items.ts'
import type { JsonObject } from '../../foundation/json.ts'
import { isPending } from '../../runtime/pending.ts'
import type { GenerationRequest, TextFormat } from '../../contracts/request.ts'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { Provider } from '../../contracts/provider.ts'
import { kindOf } from '../../foundation/kind-of.ts'
import { loggableMessage } from '../../foundation/logger.ts'
import { ProviderMistake } from '../../provider-kit/provider-mistake.ts'
import type { Draft } from './draft.ts'

type JsonFormat = Exclude<TextFormat, { readonly type: 'text' }>

/**
 * docs/protocol/request.md#text: if a model does not support `json_schema`, it gets `json_object` and the schema as a system prompt.
 * A model that supports neither gets only the prompt. The answer is held until it matches.
 */
export function lowerFormat(draft: Draft): void {
  const { request, endpoint, keyId, warnings, raises } = draft
  const format = request.text?.format
  if (!format || format.type === 'text' || takes(format, draft)) return

  const schema = format.type === 'json_schema' ? JSON.stringify(format.schema) : undefined
  const { format: _, ...text } = request.text!
  const objectMode = mayBeObject(format) && takes({ type: 'json_object' }, draft)
  request.text = objectMode ? { ...text, format: { type: 'json_object' } } : text
  insertPrompt(draft, promptFor(format, schema))
  warnings.push({
    param: 'text.format',
    message: `${format.type} is not supported by this model: it was requested through ${objectMode ? 'json_object and ' : ''}a system prompt, and the answer is checked`,
  })

  const expected = {
    provider: endpoint.provider,
    name: format.type === 'json_schema' ? format.name : undefined,
    schema,
    streamed: request.stream === true,
    keyId,
  }
  raises.push(async function* (events, attempt) {
    const { checkedAnswer } = await import('../structured-output/checked-answer.ts')
    yield* checkedAnswer(events, expected, attempt)
  })
}

/** True if the gateway holds the answer until it has checked its format. */
export function isChecked({ text }: Pick<GenerationRequest, 'text'>, candidate: Pick<Draft, 'endpoint' | 'provider'>): boolean {
  const format = text?.format
  if (format === undefined || format.type === 'text') return false
  try {
    return !takes(format, candidate)
  } catch {
    // The attempt fails with it, and is not under way yet or any more.
    return true
  }
}

/** Unknown support counts as supported. */
function takes(format: JsonFormat, { endpoint, provider }: Pick<Draft, 'endpoint' | 'provider'>): boolean {
  const { structuredOutput } = endpoint.capabilities
  if (structuredOutput === 'none' || (structuredOutput === 'json_object' && format.type === 'json_schema')) return false
  return provider.enforcesFormat ? isEnforced(format, endpoint, provider) : true
}

function isEnforced(format: JsonFormat, endpoint: Endpoint, provider: Provider): boolean {
  const place = `\`enforcesFormat\` of provider "${provider.id}"`
  let isEnforced: unknown
  try {
    isEnforced = provider.enforcesFormat!(format, endpoint)
  } catch (cause) {
    throw new ProviderMistake(`failed in ${place}: ${loggableMessage(cause)}`, { cause, isUnsent: true })
  }
  if (typeof isEnforced === 'boolean') return isEnforced
  // Nothing awaits the promise, so its rejection must not end the process.
  if (isPending(isEnforced)) Promise.resolve(isEnforced).catch(() => {})
  throw new ProviderMistake(`returned a bad answer from ${place}: expected true or false, got ${kindOf(isEnforced)}`, { isUnsent: true })
}

/** JSON mode always returns an object, so it is not used for schemas of other types. */
function mayBeObject(format: JsonFormat): boolean {
  const type = format.type === 'json_schema' ? (format.schema as JsonObject)['type'] : undefined
  return type === undefined || [type].flat().includes('object')
}

/** The prompt must contain the word JSON, because several vendors refuse JSON mode without it. */
function promptFor(format: JsonFormat, schema: string | undefined): string {
  const alone = 'and nothing else: no other text, no code fence.'
  if (format.type === 'json_object') return `Answer with one JSON object ${alone}`
  const described = format.description ? `"${format.name}" (${format.description})` : `"${format.name}"`
  return `Answer with one JSON value that matches the JSON Schema ${described} ${alone}\n${schema}`
}

/**
 * Beside the system prompt that is there, since templates of many models take only one, and in front of the conversation, so that
 * its turns share a cached prefix.
 */
function insertPrompt({ request, endpoint }: Draft, prompt: string): void {
  const [first, ...others] = request.input
  if (first?.type === 'message' && (first.role === 'system' || first.role === 'developer')) {
    const content = [...first.content, { type: 'input_text' as const, text: first.content.length > 0 ? `\n\n${prompt}` : prompt }]
    request.input = [{ ...first, content }, ...others]
  } else if (request.instructions && !endpoint.capabilities.jsonModeReadsInput) {
    request.instructions = `${request.instructions}\n\n${prompt}`
  } else {
    const message: Item = { type: 'message', role: 'system', content: [{ type: 'input_text', text: prompt }] }
    request.input = [message, ...request.input]
  }
}
