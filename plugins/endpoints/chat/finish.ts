import type { FinishReason } from '../../../core/index.ts'

const reasons: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  length: 'length',
  'content-filter': 'content_filter',
  'tool-calls': 'tool_calls',
  pause: 'stop',
}

/** The finish of each reason that clients of this API know. */
const finishes: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
}

/** `vendors`: in the vendor's words, which hold if they mean the same. `isOlder`: calls are in `function_call`. */
export function finishReason(finish: FinishReason, calls: boolean, isOlder: boolean, vendors: unknown): string {
  // Some vendors do not say that they wait for the results of calls. Clients rely on it.
  const meant = finish === 'stop' && calls ? 'tool-calls' : finish
  if (meant === 'tool-calls' && isOlder) return 'function_call'
  return typeof vendors === 'string' && vendors !== 'function_call' && finishes[vendors] === meant ? vendors : reasons[meant]
}
