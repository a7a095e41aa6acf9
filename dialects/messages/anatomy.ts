import { isObject } from '../../core/index.ts'
import type { Anatomy, Body, Meant } from '../host/anatomy.ts'
import { failureInside } from './failure.ts'

const words: Readonly<Record<Meant, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  'tool-calls': 'tool_use',
  'content-filter': 'refusal',
}

/** Where the Messages dialect has what hosts may tell in other words. */
export const messagesAnatomy: Anatomy = {
  holder: 'message',
  includesCache: false,
  putUsage(body, { input, output, cacheRead, cacheWrite, reasoning }) {
    const { message } = body
    const holder = isObject(message) ? (message as Body) : body
    holder['usage'] = {
      input_tokens: input,
      output_tokens: output,
      cache_read_input_tokens: cacheRead,
      cache_creation_input_tokens: cacheWrite,
      output_tokens_details: { thinking_tokens: reasoning },
    }
  },
  stops: body =>
    [body['delta'], body['message'], body].flatMap(holder => {
      const reason = isObject(holder) ? holder['stop_reason'] : undefined
      return typeof reason === 'string' ? [{ reason, put: (meant: Meant) => void ((holder as Body)['stop_reason'] = words[meant]) }] : []
    }),
  // The dialect's errors are objects with a type, in a member `error`.
  failureInside: (error, upstream) => failureInside(isObject(error) && 'error' in error ? error : { error }, upstream),
}
