import { isObject } from '../../core/index.ts'
import type { Anatomy, Body, Meant } from '../host/anatomy.ts'
import { failureInside } from './failure.ts'

const words: Readonly<Record<Meant, string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
}

/** Where Chat Completions has what hosts may tell in other words. */
export const chatAnatomy: Anatomy = {
  includesCache: true,
  putUsage(body, { input, output, cacheRead, cacheWrite, reasoning }) {
    body['usage'] = {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: cacheRead, cache_write_tokens: cacheWrite },
      completion_tokens_details: { reasoning_tokens: reasoning },
    }
  },
  stops: body =>
    choicesIn(body).flatMap(choice => {
      const reason = choice['finish_reason']
      return typeof reason === 'string' ? [{ reason, put: (meant: Meant) => void (choice['finish_reason'] = words[meant]) }] : []
    }),
  failureInside,
}

function choicesIn({ choices }: Body): readonly Body[] {
  return Array.isArray(choices) ? choices.filter(choice => isObject(choice)) : []
}
