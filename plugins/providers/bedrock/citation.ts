import type { Citation } from '../../../core/index.ts'
import type { WireCitation } from './wire-reply.ts'

/** The vendor's citations, as far as a reader can follow them: those of documents sent inline point at nothing that has an address. */
export function citationOf({ title, source, location }: WireCitation): Citation | undefined {
  const { url, domain } = location?.web ?? {}
  const address = url ?? (source !== undefined && /^https?:/i.test(source) ? source : undefined)
  return address === undefined ? undefined : { type: 'url_citation', url: address, title: title ?? domain ?? '' }
}
