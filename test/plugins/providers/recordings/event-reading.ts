import type { GenerationEvent } from '../../../../core/index.ts'
import { Draft, type Reading } from '../oracle/reading.ts'

/** Reads a provider's events. */
export function readGenerationEvents(events: readonly GenerationEvent[]): Reading {
  const draft = new Draft()
  const calls = new Map<string, { arguments: string }>()
  const searches = new Map<string, number>()
  for (const event of events) {
    switch (event.type) {
      case 'text':
      case 'refusal':
      case 'reasoning':
        draft[event.type] += event.text
        break
      case 'tool-call': {
        const call = { name: event.name, arguments: '', custom: event.custom === true }
        calls.set(event.key, call)
        draft.toolCalls.push(call)
        break
      }
      case 'tool-input':
        calls.get(event.key)!.arguments += event.text
        break
      case 'annotation':
        if (event.citation.type === 'url_citation') draft.citations.push(event.citation.url)
        break
      case 'search':
        if (!searches.has(event.key)) searches.set(event.key, draft.others.push('') - 1)
        if (event.status !== 'in_progress' && event.action.type === 'search')
          draft.sources.push(...(event.action.sources ?? []).map(({ url }) => url))
        draft.others[searches.get(event.key)!] = `web_search_call ${event.action.type === 'search' ? event.action.query : ''}`.trim()
        break
      case 'compaction':
        draft.others.push('compaction')
        break
      case 'item':
        draft.others.push(event.item.type)
        break
      case 'usage': {
        const { uncachedInput, cacheRead, cacheWrite5m, cacheWrite1h, output, reasoning, estimated } = event.usage
        const cacheWrite = cacheWrite5m + cacheWrite1h
        draft.usage = estimated ? null : { input: uncachedInput + cacheRead + cacheWrite, cached: cacheRead, cacheWrite, output, reasoning }
        break
      }
      case 'finish':
        draft.finish = event.reason
    }
  }
  return draft.reading()
}
