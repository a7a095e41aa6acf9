import { definePlugin } from '../../../core/index.ts'
import {
  engineBaseUrl,
  engineDefinition,
  engineKeyOption,
  foundPages,
  getWith,
  searchText,
  type SearchLocation,
} from '../../../core/kit.ts'

const countries = new Set(
  'AR AU AT BE BR CA CL DK FI FR DE HK IN ID IT JP KR MY MX NL NZ NO CN PL PT PH RU SA ZA ES SE CH TW TR GB US'.split(' '),
)
const maxPages = 20
const maxQueryLength = 400
const maxWords = 50

/** Web search by Brave. */
export default definePlugin(
  engineDefinition({
    name: 'brave',
    keyHeader: 'x-subscription-token',
    options: {
      apiKey: engineKeyOption,
      baseUrl: engineBaseUrl('https://api.search.brave.com/res/v1'),
      safeSearch: { enum: ['off', 'moderate', 'strict'], default: 'moderate', description: 'How much adult content Brave leaves out.' },
    },
    // https://api-dashboard.search.brave.com/app/documentation/web-search/query
    adapter: ({ baseUrl, safeSearch }) => ({
      prepare(query) {
        const { maxResults, userLocation } = query
        const country = userLocation?.country
        const parameters = {
          q: searchText(query, { sites: true, maxCharacters: maxQueryLength, maxWords: maxWords }),
          count: Math.min(maxResults, maxPages),
          // Another country is an error.
          country: country !== undefined && countries.has(country) ? country : undefined,
          safesearch: safeSearch,
          text_decorations: 'false',
          result_filter: 'web',
        }
        return getWith(baseUrl, '/web/search', parameters, placeHeaders(userLocation))
      },
      // A reply without web results has no member `web`.
      pages({ type, web }) {
        if (type !== 'search') return undefined
        return foundPages((web as { results?: unknown } | null | undefined)?.results ?? [], entry => {
          const { url, title, description, extra_snippets, page_age } = entry
          return { url, title, text: [description, ...(Array.isArray(extra_snippets) ? extra_snippets : [])], publishedAt: page_age }
        })
      },
      // An unknown key is a 422 here.
      failureKind: (status, { error }) =>
        (error as { code?: unknown } | null | undefined)?.code === 'SUBSCRIPTION_TOKEN_INVALID' && status === 422 ? 'auth' : undefined,
    }),
  }),
)

/** Names with characters that a header cannot hold are left out. */
function placeHeaders(location: SearchLocation = {}): Readonly<Record<string, string>> {
  const { country, region, city, timezone } = location
  const headers = { 'x-loc-country': country, 'x-loc-state-name': region, 'x-loc-city': city, 'x-loc-timezone': timezone }
  return Object.fromEntries(Object.entries(headers).filter((header): header is [string, string] => /^[ -~]{1,100}$/.test(header[1] ?? '')))
}
