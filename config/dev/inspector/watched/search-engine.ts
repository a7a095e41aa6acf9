import type { SearchEngine, SearchReply } from '../../../../core/contracts/search-engine.ts'
import { shadow } from '../shadow.ts'
import { begin, follow, watchedHere, type Watching } from './watching.ts'

export function watchedEngine(engine: SearchEngine, watching: Watching): SearchEngine {
  return shadow(engine, {
    search(query, call) {
      const watched = watchedHere(watching, 'search engine', engine.name)
      if (!watched) return engine.search(query, call)
      const step = begin(watched, 'search')
      step.show('query', query)
      const searching = follow<SearchReply>(
        watched,
        step,
        () => engine.search(query, call),
        reply => {
          step.fact('results', reply.results.length)
          step.show('results', reply.results)
        },
      )
      return Promise.resolve(searching)
    },
  })
}
