import type { JsonObject } from '../../../core/index.ts'
import type { ItemDelta, LogProb } from '../../../core/kit.ts'

type Annotation = Extract<ItemDelta, { type: 'annotation' }>

/** `offset`: where the text of its message starts in the content. */
export function annotationOf({ citation, start, end }: Annotation, offset: number): JsonObject {
  const place = { start_index: start + offset, end_index: end + offset }
  if (citation.type !== 'url_citation') {
    const { type, ...cited } = citation
    return { type, [type]: { ...cited, ...place } }
  }
  return { type: 'url_citation', url_citation: { ...place, url: citation.url, title: citation.title } }
}

export function logprobOf({ token, logprob, bytes, top_logprobs: top }: LogProb): JsonObject {
  return {
    token,
    logprob,
    bytes: bytes ?? null,
    top_logprobs: (top ?? []).map(each => ({ token: each.token, logprob: each.logprob, bytes: each.bytes ?? null })),
  }
}
