import type { FoundPage } from '../contracts/search-engine.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'

/** Reads the members of a page from an entry of an engine's list. */
export type PageReader = (entry: JsonObject) => { readonly [M in keyof FoundPage]: unknown }

/** The pages of a list, without those that have no http address. Undefined if it is not a list. */
export function foundPages(list: unknown, read: PageReader): readonly FoundPage[] | undefined {
  if (!Array.isArray(list)) return undefined
  return list.filter(isObject).flatMap(entry => {
    const { url, title, text, publishedAt } = read(entry)
    if (typeof url !== 'string' || !/^https?:\/\//i.test(url) || !URL.canParse(url)) return []
    const page = { url, title: textOf(title) || new URL(url).hostname, text: textOf(text) }
    return typeof publishedAt === 'string' && publishedAt !== '' ? { ...page, publishedAt } : page
  })
}

/** Excerpts are joined. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Array.isArray(value) ? value.filter(part => typeof part === 'string').join('\n') : ''
}
