import { count, list, object, string, type Json } from './json.ts'
import { Draft, type Reading, type UsageReading } from './reading.ts'

// Chat Completions as OpenAI documents it, with what the vendors of compatible wires add in their own documents.

/** A whole reply: a chat completion object. */
export function readChatCompletion(body: unknown): Reading {
  return read([body], 'message')
}

/** The chunks of a stream. */
export function readChatChunks(chunks: readonly unknown[]): Reading {
  return read(chunks, 'delta')
}

/** Perplexity has both members in replies of both kinds. */
function read(chunks: readonly unknown[], member: 'message' | 'delta'): Reading {
  const draft = new Draft()
  const calls = new Calls(draft)
  let raw = ''
  let groqUsage: UsageReading | null = null
  let numbered: readonly unknown[] = []
  const ran = new Map<unknown, Json>()
  const annotated = new Set<string>()
  for (const value of chunks) {
    const chunk = object(value)
    // Groq repeats on its finish chunk what a last chunk tells as well.
    groqUsage = usageOf(object(chunk['x_groq'])['usage']) ?? groqUsage
    draft.usage = usageOf(chunk['usage']) ?? draft.usage
    // Perplexity repeats the addresses that the numbers in its text stand for.
    if (list(chunk['citations']).length > 0) numbered = list(chunk['citations'])
    for (const value of list(chunk['choices'])) {
      const choice = object(value)
      if ((choice['index'] ?? 0) !== 0) continue
      const said = object(choice[member])
      raw += contentText(said['content'])
      draft.refusal += string(said['refusal'])
      draft.reasoning += reasoningText(said)
      calls.add(list(said['tool_calls']))
      for (const annotation of list(said['annotations']).map(object)) {
        if (annotation['type'] !== 'url_citation') continue
        const address = string(object(annotation['url_citation'])['url'])
        draft.citations.push(address)
        annotated.add(address)
      }
      // Groq says what its system ran, in a stream once more when it is done.
      for (const tool of list(said['executed_tools']).map(object)) if (tool['type'] === 'search') ran.set(tool['index'], tool)
      if (choice['finish_reason']) draft.finish = finishOf(string(choice['finish_reason']))
    }
  }
  draft.usage ??= groqUsage
  const thought = splitThought(raw)
  draft.text = thought.text
  draft.reasoning += thought.reasoning
  readSearches(draft, [...ran.values()], numbered, annotated)
  return draft.reading()
}

/** Hosts of this wire report no more about their searches: Groq the queries, the others only the results. */
function readSearches(draft: Draft, ran: readonly Json[], numbered: readonly unknown[], annotated: ReadonlySet<string>): void {
  for (const { arguments: input, search_results: found } of ran) {
    draft.others.push(`web_search_call ${string(object(JSON.parse(string(input)))['query'])}`)
    draft.sources.push(...list(object(found)['results']).map(result => string(object(result)['url'])))
  }
  if (annotated.size === 0)
    for (const mark of draft.text.match(/\[\d+\]/g) ?? []) {
      const address = numbered[Number.parseInt(mark.slice(1), 10) - 1]
      if (address !== undefined) draft.citations.push(string(address))
    }
  const found = numbered.length > 0 ? numbered.map(string) : [...annotated]
  if (ran.length > 0 || found.length === 0) return
  draft.others.push('web_search_call')
  draft.sources.push(...found)
}

/** Mistral's reasoning models write `content` as a list. */
function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map(part => (object(part)['type'] === 'text' ? string(object(part)['text']) : ''))
    .join('')
}

/** One thought may stand under several names at once; the first that has it counts. */
function reasoningText(said: Json): string {
  const thinking = list(said['content'])
    .filter(part => object(part)['type'] === 'thinking')
    .flatMap(part => list(object(part)['thinking']))
    .map(part => string(object(part)['text']))
    .join('')
  const details = list(said['reasoning_details'])
    .map(detail => string(object(detail)['text']) || string(object(detail)['summary']))
    .join('')
  return string(said['reasoning_content']) || string(said['reasoning']) || details || thinking
}

/**
 * Open models that are served without a reasoning parser think aloud between tags at the start of their text.
 * The white space around the tags is that of their chat template.
 */
function splitThought(raw: string): { readonly reasoning: string; readonly text: string } {
  const opened = /^\s*<think>/.exec(raw)
  if (!opened) return { reasoning: '', text: raw }
  const rest = raw.slice(opened[0].length)
  const close = rest.indexOf('</think>')
  if (close < 0) return { reasoning: rest.trimStart(), text: '' }
  return { reasoning: rest.slice(0, close).trim(), text: rest.slice(close + '</think>'.length).trimStart() }
}

/** Pieces of tool calls belong together by index, else by id. Otherwise each is a separate call. */
class Calls {
  readonly #draft: Draft
  readonly #byKey = new Map<unknown, { name: string; arguments: string; custom: boolean }>()

  constructor(draft: Draft) {
    this.#draft = draft
  }

  add(pieces: readonly unknown[]): void {
    for (const value of pieces) {
      const piece = object(value)
      const custom = piece['custom'] !== undefined
      const called = object(custom ? piece['custom'] : piece['function'])
      const key = piece['index'] ?? (piece['id'] || Symbol('no key'))
      let call = this.#byKey.get(key)
      if (!call) {
        call = { name: '', arguments: '', custom }
        this.#byKey.set(key, call)
        this.#draft.toolCalls.push(call)
      }
      call.name ||= string(called['name'])
      const input = called[custom ? 'input' : 'arguments']
      call.arguments += typeof input === 'object' && input !== null ? JSON.stringify(input) : string(input)
    }
  }
}

function usageOf(value: unknown): UsageReading | null {
  const usage = object(value)
  const input = count(usage['prompt_tokens'])
  if (input === null) return null
  const prompt = object(usage['prompt_tokens_details'])
  const reasoning = count(object(usage['completion_tokens_details'])['reasoning_tokens']) ?? count(usage['reasoning_tokens'])
  const completion = count(usage['completion_tokens']) ?? 0
  const audio = count(prompt['audio_tokens']) ?? 0
  // Only `total_tokens` shows what the parts leave out: reasoning at xAI, the audio of the prompt at Mistral.
  const missing = (count(usage['total_tokens']) ?? 0) - input - completion
  return {
    input: missing === audio ? input + audio : input,
    cached:
      count(prompt['cached_tokens']) ??
      count(usage['prompt_cache_hit_tokens']) ??
      count(usage['num_cached_tokens']) ??
      count(usage['cached_tokens']),
    cacheWrite: count(prompt['cache_write_tokens']),
    output: missing === reasoning ? completion + reasoning : completion,
    reasoning,
  }
}

function finishOf(reason: string): string {
  if (/^(stop|eos|eos_token|stop_sequence)$/.test(reason)) return 'stop'
  if (/^(tool_calls?|function_call)$/.test(reason)) return 'tool-calls'
  if (/^(length|max_tokens|model_length)$/.test(reason)) return 'length'
  return reason === 'content_filter' ? 'content-filter' : reason
}
