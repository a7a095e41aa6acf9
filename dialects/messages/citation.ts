import type { Citation } from '../../core/kit.ts'

/** The vendor's citations that a reader can follow. Citations of inline documents have no address. */
export interface WireCitation {
  readonly type?: string
  readonly url?: string
  readonly source?: string
  readonly title?: string | null
  readonly document_title?: string | null
  readonly document_index?: number
  readonly file_id?: string | null
}

export function citationOf({
  url,
  source,
  title,
  document_title: filename,
  document_index: index,
  file_id,
}: WireCitation): Citation | undefined {
  const address = url ?? (source !== undefined && /^https?:/i.test(source) ? source : undefined)
  if (address !== undefined) return { type: 'url_citation', url: address, title: title ?? '' }
  if (file_id) return { type: 'file_citation', file_id, filename: filename ?? '', index: index ?? 0 }
  return undefined
}
