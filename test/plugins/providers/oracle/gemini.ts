import { count, list, object, string, type Json } from './json.ts'
import { plainSse } from './plain-sse.ts'
import { Draft, type ErrorReading, type Reading, type UsageReading } from './reading.ts'

// Gemini's generateContent as its published schema describes it. No SDK of the vendor's is at hand: the bytes are read here.

/** A reply of any kind: JSON, server-sent events, or a JSON array that was sent as a stream. */
export function readGenerateContent(status: number, body: Uint8Array): Reading {
  const payloads = payloadsOf(Buffer.from(body).toString('utf8'))
  const draft = new Draft()
  const errors = payloads.map(payload => errorIn(object(payload), status >= 400 ? status : null)).filter(error => error !== null)
  if (status >= 400) return draft.reading(errors[0] ?? { status, code: null, message: '', body: JSON.stringify(payloads) })
  const told = readResponses(payloads.map(object), draft)
  return draft.reading(errors[0] ?? told)
}

function payloadsOf(text: string): readonly unknown[] {
  if (/^\s*[[{]/.test(text)) return [JSON.parse(text) as unknown].flat()
  // An error may be printed behind the events, not as one of them; and events may stand without a blank line between them.
  const behind = text.search(/^\{/m)
  const events = behind < 0 ? text : text.slice(0, behind)
  const separate = plainSse(Buffer.from(events.replace(/\r?\n(?=data:)/g, '\n\n')))
  return behind < 0 ? separate : [...separate, JSON.parse(text.slice(behind)) as unknown]
}

/** Returns the error that a reply means which has none. */
function readResponses(responses: readonly Json[], draft: Draft): ErrorReading | null {
  const calls = new Calls(draft)
  const sources: Json[] = []
  const supports: Json[] = []
  const queries = new Set<string>()
  let end: Json = {}
  let media = false
  for (const response of responses) {
    draft.usage = usageOf(object(response['usageMetadata'])) ?? draft.usage
    const feedback = object(response['promptFeedback'])
    if (feedback['blockReason']) return invented(string(feedback['blockReasonMessage']), { blockReason: feedback['blockReason'] })
    const candidate = object(list(response['candidates'])[0])
    for (const part of list(object(candidate['content'])['parts']).map(object)) {
      if (part['thought'] === true) draft.reasoning += string(part['text'])
      else draft.text += string(part['text'])
      if (part['functionCall']) calls.add(object(part['functionCall']))
      if (part['inlineData']) media = true
    }
    const grounding = object(candidate['groundingMetadata'])
    sources.push(...list(grounding['groundingChunks']).map(chunk => object(object(chunk)['web'])))
    supports.push(...list(grounding['groundingSupports']).map(object))
    for (const query of list(grounding['webSearchQueries'])) queries.add(string(query))
    if (candidate['finishReason']) end = candidate
  }
  // A segment's own text says where it is; a segment that the text does not have cites nothing.
  for (const support of supports)
    if (draft.text.includes(string(object(support['segment'])['text'])))
      for (const index of list(support['groundingChunkIndices'])) {
        const address = string(sources[Number(index)]?.['uri'])
        if (address) draft.citations.push(address)
      }
  const [query] = queries
  if (query !== undefined) {
    draft.others.push(`web_search_call ${query}`)
    draft.sources.push(...sources.map(source => string(source['uri'])).filter(Boolean))
  }
  const reason = reasonOf(end['finishReason'])
  if (failures.test(reason)) return invented(string(end['finishMessage']), { finishReason: reason })
  if (media && draft.text.trim() === '' && draft.toolCalls.length === 0 && reason) return invented('', { finishReason: 'MEDIA_ALONE' })
  if (filters.test(reason)) draft.refusal += string(end['finishMessage'])
  draft.finish = filters.test(reason) ? 'content-filter' : reason === 'STOP' ? 'stop' : reason === 'MAX_TOKENS' ? 'length' : reason || null
  return null
}

const failures = /^(OTHER|IMAGE_OTHER|NO_IMAGE|FINISH_REASON_UNSPECIFIED|MALFORMED_.*|.*_TOOL_CALLS?|MISSING_THOUGHT_SIGNATURE)$/
const filters = /^(SAFETY|RECITATION|LANGUAGE|BLOCKLIST|PROHIBITED_CONTENT|SPII|MODEL_ARMOR|IMAGE_(SAFETY|PROHIBITED_CONTENT|RECITATION))$/

/** The proto numbers its values; old recorders asked for the numbers. */
function reasonOf(value: unknown): string {
  if (value === 1) return 'STOP'
  return value === 2 ? 'MAX_TOKENS' : string(value)
}

/** A reply of status 200 that is no answer. */
function invented(message: string, body: Json): ErrorReading {
  return { status: null, code: null, message, body: JSON.stringify(body) }
}

function errorIn(payload: Json, status: number | null): ErrorReading | null {
  if (!payload['error']) return null
  const error = object(payload['error'])
  return { status, code: string(error['status']) || null, message: string(error['message']), body: JSON.stringify(error) }
}

/** The total counts everything once: the rest after the input is output. */
function usageOf(usage: Json): UsageReading | null {
  const prompt = count(usage['promptTokenCount'])
  if (prompt === null) return null
  const input = prompt + (count(usage['toolUsePromptTokenCount']) ?? 0)
  return {
    input,
    cached: count(usage['cachedContentTokenCount']),
    cacheWrite: null,
    output: (count(usage['totalTokenCount']) ?? input) - input,
    reasoning: count(usage['thoughtsTokenCount']),
  }
}

/** A call comes whole, or its strings come in pieces after its name, until a piece that does not go on. */
class Calls {
  readonly #draft: Draft
  #strings: Record<string, string> | undefined

  constructor(draft: Draft) {
    this.#draft = draft
  }

  add(call: Json): void {
    if (call['name']) {
      this.#draft.toolCalls.push({ name: string(call['name']), arguments: JSON.stringify(call['args'] ?? {}), custom: false })
      this.#strings = call['willContinue'] ? {} : undefined
    }
    if (!this.#strings) return
    for (const piece of list(call['partialArgs']).map(object)) {
      const name = string(piece['jsonPath']).replace('$.', '')
      this.#strings[name] = (this.#strings[name] ?? '') + string(piece['stringValue'])
    }
    this.#draft.toolCalls.at(-1)!.arguments = JSON.stringify(this.#strings)
  }
}
