import type { FoundPage, SearchQuery } from '../../../core/index.ts'
import { plainText } from './plain-text.ts'

const maxUrlLength = 2_048
const maxTitleLength = 300
const maxDateLength = 40

/** The presentable results of engines: web pages in the domains that the caller wants, as plain text. */
export function shownResults(
  pages: readonly FoundPage[],
  { allowedDomains, blockedDomains, maxResults }: SearchQuery,
  maxTextLength: number,
): readonly FoundPage[] {
  const results: FoundPage[] = []
  const seen = new Set<string>()
  for (const page of pages) {
    if (results.length === maxResults) break
    const url = addressOf(page.url)
    if (!url || seen.has(url.href)) continue
    if (allowedDomains.length > 0 && !allowedDomains.some(domain => isIn(url, domain))) continue
    if (blockedDomains.some(domain => isIn(url, domain))) continue
    seen.add(url.href)
    const { title, text, publishedAt } = page
    results.push({
      url: url.href,
      title: plainText(String(title ?? ''), maxTitleLength).replaceAll('\n', ' ') || url.hostname,
      text: plainText(String(text ?? ''), maxTextLength),
      ...(typeof publishedAt === 'string' && publishedAt !== '' && { publishedAt: plainText(publishedAt, maxDateLength) }),
    })
  }
  return results
}

/** The URL, if it is an address on the web. */
function addressOf(text: unknown): URL | undefined {
  if (typeof text !== 'string' || text.length > maxUrlLength || !URL.canParse(text)) return undefined
  const url = new URL(text)
  if ((url.protocol !== 'http:' && url.protocol !== 'https:') || url.username !== '' || url.password !== '') return undefined
  return url
}

function isIn(url: URL, domain: string): boolean {
  // `example.com.` is the same host.
  const hostname = url.hostname.replace(/\.$/, '')
  return hostname === domain || hostname.endsWith(`.${domain}`)
}

/** The domain in a text, such as `example.com` for `https://Example.com/docs`, if there is one. */
export function domainOf(text: string): string | undefined {
  const bare = text.trim().replace(/^\*\./, '')
  const address = bare.includes('://') ? bare : `https://${bare}`
  if (!URL.canParse(address)) return undefined
  const { hostname } = new URL(address)
  return /^[a-z\d.:[\]-]+$/.test(hostname) ? hostname.replace(/\.$/, '') : undefined
}
