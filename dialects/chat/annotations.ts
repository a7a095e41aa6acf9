import type { GenerationEvent } from '../../core/index.ts'
import type { LogProb } from '../../core/kit.ts'
import type { Annotation, TokenLogprob } from './wire.ts'

/** Citations with a place in the text. Undefined for others. */
export function annotationOf({ type, url_citation: cited }: Annotation): GenerationEvent | undefined {
  if (type !== 'url_citation' || !cited?.url || cited.start_index == null || cited.end_index == null) return undefined
  const citation = { type: 'url_citation', url: cited.url, title: cited.title ?? '' } as const
  return { type: 'annotation', citation, start: cited.start_index, end: cited.end_index }
}

export function logprobOf({ token, logprob, bytes, top_logprobs }: TokenLogprob): LogProb {
  return {
    token,
    logprob,
    ...(bytes && { bytes }),
    ...(top_logprobs && {
      top_logprobs: top_logprobs.map(top => ({ token: top.token, logprob: top.logprob, ...(top.bytes && { bytes: top.bytes }) })),
    }),
  }
}
