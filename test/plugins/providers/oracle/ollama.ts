import { count, list, object, string } from './json.ts'
import { Draft, type Reading } from './reading.ts'

// Ollama's own chat as its published schema describes it: one JSON document, or one per line, each of which adds to the answer.

export function readOllama(status: number, body: Uint8Array): Reading {
  const draft = new Draft()
  for (const line of Buffer.from(body).toString('utf8').split('\n')) {
    if (line.trim() === '') continue
    const told = object(JSON.parse(line))
    const error = told['error']
    if (error !== undefined)
      return draft.reading({ status: status >= 400 ? status : null, code: null, message: string(error), body: JSON.stringify(told) })
    const message = object(told['message'])
    draft.reasoning += string(message['thinking'])
    draft.text += string(message['content'])
    for (const call of list(message['tool_calls']).map(each => object(object(each)['function'])))
      draft.toolCalls.push({ name: string(call['name']), arguments: JSON.stringify(call['arguments']), custom: false })
    if (told['done'] !== true) continue
    draft.finish = string(told['done_reason']) || 'stop'
    const input = count(told['prompt_eval_count'])
    // A prompt that was in the server's cache was not counted by older versions.
    if (input !== null) draft.usage = { input, cached: null, cacheWrite: null, output: count(told['eval_count']) ?? 0, reasoning: null }
  }
  return draft.reading()
}
