import { isObject } from '../../core/index.ts'
import type { Anatomy, Body, Meant } from '../host/anatomy.ts'
import { failureInside } from './failure.ts'

/** Where the Responses dialect has what hosts may tell in other words. */
export const responsesAnatomy: Anatomy = {
  holder: 'response',
  includesCache: true,
  putUsage(body, { input, output, cacheRead, cacheWrite, reasoning }) {
    responseIn(body)['usage'] = {
      input_tokens: input,
      output_tokens: output,
      input_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      output_tokens_details: { reasoning_tokens: reasoning },
    }
  },
  stops(body) {
    const response = responseIn(body)
    const { status, incomplete_details: details } = response
    const told = isObject(details) ? details['reason'] : undefined
    const reason = typeof told === 'string' ? told : status
    if (typeof reason !== 'string') return []
    return [
      {
        reason,
        put(meant: Meant) {
          const isWhole = meant === 'stop' || meant === 'tool-calls'
          const newStatus = isWhole ? 'completed' : 'incomplete'
          response['status'] = newStatus
          response['incomplete_details'] = isWhole ? null : { reason: meant === 'length' ? 'max_output_tokens' : 'content_filter' }
          if (/^response\.(completed|incomplete|failed|done)$/.test(String(body['type']))) body['type'] = `response.${newStatus}`
        },
      },
    ]
  },
  failureInside,
}

/** An event holds the response, and a reply is one. */
function responseIn(body: Body): Body {
  const { response } = body
  return isObject(response) ? response : body
}
