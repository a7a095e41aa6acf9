import type { SearchLocation, SearchQuery } from '../contracts/search-engine.ts'

/** What the engine has no parameter for, and its limits. */
export interface SearchTextOptions {
  /** Put the domain filters into the query, as `site:` operators. */
  readonly sites?: boolean
  /** The part of the user's place that goes into the query. */
  readonly place?: readonly ('city' | 'region' | 'country')[]
  /** The longest query that the engine takes. */
  readonly maxCharacters?: number
  /** The most words that the engine takes. Default: no limit. */
  readonly maxWords?: number
}

/** A query with the parts for which the engine has no parameters. Parts that do not fit are left out, the end of the query last. */
export function searchText(query: SearchQuery, options: SearchTextOptions): string {
  const { sites = false, place = [], maxCharacters = Infinity, maxWords = Infinity } = options
  const fits = (text: string): boolean => text.length <= maxCharacters && text.split(' ').length <= maxWords
  let text = query.query.toWellFormed().replace(/\s+/g, ' ').trim()
  if (!fits(text)) text = text.split(' ').slice(0, maxWords).join(' ').slice(0, maxCharacters).toWellFormed()
  const add = (more: string): boolean => {
    if (!fits(`${text} ${more}`)) return false
    text += ` ${more}`
    return true
  }
  const words = placeWords(query.userLocation, place)
  if (words !== '') add(words)
  if (!sites) return text
  const [first, ...others] = query.allowedDomains
  if (first !== undefined && add(`site:${first}`)) for (const domain of others) if (!add(`OR site:${domain}`)) break
  for (const domain of query.blockedDomains) if (!add(`-site:${domain}`)) break
  return text
}

/** Such as `Berlin Germany`. Empty if the place is unknown. */
export function placeWords(location: SearchLocation | undefined, parts: NonNullable<SearchTextOptions['place']>): string {
  if (!location) return ''
  const { country } = location
  const words = parts.map(part => (part === 'country' ? country && (countryName(country) ?? country) : location[part]))
  return [...new Set(words.filter(Boolean))].join(' ').toWellFormed().replace(/\s+/g, ' ').trim()
}

let names: Intl.DisplayNames | undefined

/** The English name of a country, such as `Germany` for `DE`. Undefined if there is none. */
export function countryName(code: string): string | undefined {
  names ??= new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
  return /^[A-Z]{2}$/.test(code) ? names.of(code) : undefined
}
