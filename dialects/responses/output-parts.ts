import { parseJson, type JsonObject } from '../../core/index.ts'
import type { Citation, LogProb, SearchAction, SearchResult } from '../../core/kit.ts'
import { number, object, objects, text } from './wire.ts'

/** A part's annotation, with offsets into the part. Undefined for other kinds. */
export function citation(wire: JsonObject): { readonly citation: Citation; readonly start: number; readonly end: number } | undefined {
  switch (wire.type) {
    case 'url_citation': {
      const start = number(wire.start_index) ?? 0
      const cited = { type: 'url_citation', url: text(wire.url) ?? '', title: text(wire.title) ?? '' } as const
      return { citation: cited, start, end: number(wire.end_index) ?? start }
    }
    case 'file_citation': {
      const index = number(wire.index) ?? 0
      const cited = { type: 'file_citation', file_id: text(wire.file_id) ?? '', filename: text(wire.filename) ?? '', index } as const
      return { citation: cited, start: index, end: index }
    }
    case 'container_file_citation': {
      const start = number(wire.start_index) ?? 0
      const ids = { container_id: text(wire.container_id) ?? '', file_id: text(wire.file_id) ?? '' }
      const cited = { type: 'container_file_citation', ...ids, filename: text(wire.filename) ?? '' } as const
      return { citation: cited, start, end: number(wire.end_index) ?? start }
    }
    default:
      return undefined
  }
}

export function logProbs(wire: unknown): readonly LogProb[] | undefined {
  if (!Array.isArray(wire) || wire.length === 0) return undefined
  return objects(wire).map(entry => ({ ...logProb(entry), top_logprobs: objects(entry.top_logprobs).map(logProb) }))
}

function logProb(wire: JsonObject): Omit<LogProb, 'top_logprobs'> {
  const bytes = Array.isArray(wire.bytes) ? (wire.bytes as readonly number[]) : undefined
  return { token: text(wire.token) ?? '', logprob: number(wire.logprob) ?? 0, ...(bytes && { bytes }) }
}

/** The action of a `web_search_call`. While it runs, the vendor may send none, so this returns an empty search. */
export function searchAction(wire: JsonObject): SearchAction {
  const action = object(wire.action) ?? {}
  switch (action.type) {
    case 'open_page':
      return { type: 'open_page', ...(text(action.url) && { url: action.url as string }) }
    case 'find_in_page':
      return { type: 'find_in_page', url: text(action.url) ?? '', pattern: text(action.pattern) ?? '' }
    default: {
      const sources = objects(action.sources).flatMap(source =>
        text(source.url) ? ({ type: 'url', url: source.url as string } as const) : [],
      )
      const queries = Array.isArray(action.queries) ? action.queries.filter(each => typeof each === 'string') : []
      return {
        type: 'search',
        query: query(action) ?? queryInArguments(wire) ?? '',
        ...(queries.length > 0 && { queries }),
        sources,
      }
    }
  }
}

/** The results of a search, if the request included them. */
export function searchResults({ results }: JsonObject): readonly SearchResult[] | undefined {
  if (!Array.isArray(results)) return undefined
  return objects(results).flatMap(result => {
    const url = text(result.url)
    if (!url) return []
    const title = text(result.title)
    const said = text(result.text) ?? text(result.snippet)
    return { url, ...(title && { title }), ...(said && { text: said }) }
  })
}

function query({ query: single, queries }: JsonObject): string | undefined {
  return text(single) ?? (Array.isArray(queries) ? text(queries[0]) : undefined)
}

/** xAI also sends searches as function calls. */
function queryInArguments({ arguments: input }: JsonObject): string | undefined {
  return typeof input === 'string' ? text(object(parseJson(input))?.query) : undefined
}
