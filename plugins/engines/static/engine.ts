import { ProviderFailure, type FoundPage, type SearchEngine } from '../../../core/index.ts'
import { readDocuments, type DocumentFolder } from './documents.ts'
import { openIndex, type DocumentIndex } from './document-index.ts'

export interface StaticOptions extends DocumentFolder {
  readonly name: string
  readonly baseUrl: string
  readonly forProviders?: readonly string[] | undefined
}

export function staticEngine(options: StaticOptions): SearchEngine {
  const { name, baseUrl, forProviders } = options
  const base = baseUrl.replace(/\/+$/, '')
  let index: Promise<DocumentIndex> | undefined
  return {
    name,
    seesContent: 'local',
    ...(forProviders && { forProviders }),
    async search({ query, maxResults }, { signal }) {
      signal.throwIfAborted()
      // After a failure, the next search tries again.
      index ??= openIndex(readDocuments(options)).catch((cause: NodeJS.ErrnoException) => {
        index = undefined
        const message = `The search engine "${name}" cannot read its folder (${cause.code ?? cause.name}).`
        throw new ProviderFailure({ kind: 'unavailable', message, cause })
      })
      const opened = await index
      signal.throwIfAborted()
      const results = opened.find(query, maxResults).map(({ path, title, anchor, text }): FoundPage => {
        const address = path.split('/').map(encodeURIComponent).join('/')
        return { url: `${base}/${address}${anchor === '' ? '' : `#${encodeURIComponent(anchor)}`}`, title, text }
      })
      return { results }
    },
  }
}
