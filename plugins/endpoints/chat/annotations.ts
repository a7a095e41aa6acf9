import type { JsonObject } from '../../../core/index.ts'
import type { Citation, LogProb } from '../../../core/kit.ts'

type UrlCitation = Extract<Citation, { type: 'url_citation' }>

interface Place {
  readonly start: number
  readonly end: number
}

/** `offset`: where the text of its message starts in the content. */
export function annotationOf({ url, title }: UrlCitation, { start, end }: Place, offset: number): JsonObject {
  return { type: 'url_citation', url_citation: { start_index: start + offset, end_index: end + offset, url, title } }
}

/** With members of the vendor's, if it speaks this dialect. */
export function logprobOf({ top_logprobs: top, ...told }: LogProb): JsonObject {
  return { ...told, bytes: told.bytes ?? null, top_logprobs: (top ?? []).map(each => ({ ...each, bytes: each.bytes ?? null })) }
}
