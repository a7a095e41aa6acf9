import { foundPages, postJson, searchText, type EngineAdapter } from '../../../core/kit.ts'

export interface SerperOptions {
  readonly baseUrl: string
  readonly language?: string | undefined
}

const longestQuery = 2_048

/** https://serper.dev/playground */
export function serperAdapter({ baseUrl, language }: SerperOptions): EngineAdapter {
  return {
    name: 'serper',
    prepare: query =>
      postJson(baseUrl, '/search', {
        q: searchText(query, { sites: true, place: ['city', 'region'], maximumCharacters: longestQuery }),
        num: query.maxResults,
        gl: query.userLocation?.country?.toLowerCase(),
        hl: language,
      }),
    pages: ({ organic }) =>
      foundPages(organic, ({ link, title, snippet, date }) => ({ url: link, title, text: snippet, publishedAt: date })),
    // The only sign is a 400 with a sentence.
    failureKind: (_status, { message }) => (typeof message === 'string' && /not enough credits/i.test(message) ? 'quota' : undefined),
  }
}
