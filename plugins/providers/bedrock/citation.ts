import type { Citation } from '../../../core/kit.ts'
import type { WireCitation } from './wire-reply.ts'

/** The vendor's citations that a reader can follow. Citations of inline documents have no address. */
export function citationOf({ title, source, location }: WireCitation): Citation | undefined {
  const { url, domain } = location?.web ?? {}
  const address = url ?? (source !== undefined && /^https?:/i.test(source) ? source : undefined)
  return address === undefined ? undefined : { type: 'url_citation', url: address, title: title ?? domain ?? '' }
}
