import { foundPages, placeWords, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface JinaOptions {
  readonly baseUrl: string
  readonly content: boolean
}

/** The vendor's code for no results. */
const nothingFound = 42_206

/** https://jina.ai/reader#apiform, "Search" */
export function jinaAdapter({ baseUrl, content }: JinaOptions): EngineAdapter {
  return {
    name: 'jina',
    prepare(query) {
      const { maxResults, userLocation } = query
      const body = {
        q: searchText(query, { sites: true, place: ['region'] }),
        num: maxResults,
        gl: userLocation?.country,
        location: placeWords(userLocation, ['city']) || undefined,
      }
      return postJson(baseUrl, '/', body, content ? {} : { 'x-respond-with': 'no-content' })
    },
    pages: ({ data }) =>
      foundPages(data, ({ url, title, description, content, date }) => ({ url, title, text: content || description, publishedAt: date })),
    pagesInError: (_status, { status }) => (status === nothingFound ? [] : undefined),
  }
}
