import type { FinishReason, JsonObject } from '../../../core/index.ts'

/** Why the model stopped, in the words of this surface. */
export interface Stop {
  readonly stop_reason: string
  readonly stop_sequence: string | null
  readonly stop_details: JsonObject | null
}

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'tool-calls': 'tool_use',
  pause: 'pause_turn',
}

/** The finish of each of the vendor's reasons. Others stop. */
const finishes: Readonly<Record<string, FinishReason>> = {
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool-calls',
  refusal: 'content-filter',
}

/** `refusal`: the words in which the model refused. `calls`: the answer has calls. `vendors`: the end in the vendor's words, which holds if the answer ended there. */
export function stopOf(finish: FinishReason, refusal: string, calls: boolean, vendors: JsonObject | undefined): Stop {
  const { stop_reason: reason, stop_sequence: sequence, stop_details: told } = vendors ?? {}
  if (typeof reason === 'string' && (finishes[reason] ?? 'stop') === finish)
    return { stop_reason: reason, stop_sequence: (sequence as string | undefined) ?? null, stop_details: (told as JsonObject) ?? null }
  const isRefused = finish === 'content-filter' || (refusal !== '' && finish === 'stop')
  return {
    // Some vendors do not say that they wait for the results of calls. Clients rely on it.
    stop_reason: isRefused ? 'refusal' : calls && finish === 'stop' ? 'tool_use' : reasons[finish],
    stop_sequence: null,
    stop_details: isRefused ? { type: 'refusal', category: null, explanation: refusal || null } : null,
  }
}
