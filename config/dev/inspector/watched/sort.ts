import type { SortStrategy } from '../../../../core/contracts/sort-strategy.ts'
import { shadow } from '../shadow.ts'
import { begin, endpointName, followNow, watchedHere, type Watching } from './watching.ts'

const maxEndpoints = 40

export function watchedSort(sort: SortStrategy, watching: Watching): SortStrategy {
  return shadow(sort, {
    values(endpoints, view) {
      const watched = watchedHere(watching, 'sort', sort.name)
      if (!watched) return sort.values(endpoints, view)
      const step = begin(watched, 'values')
      step.fact('sort', view.sort)
      step.fact('first', sort.first)
      return followNow(
        watched,
        step,
        () => sort.values(endpoints, view),
        values => {
          for (const [index, endpoint] of endpoints.slice(0, maxEndpoints).entries()) {
            const value: unknown = values[index]
            step.fact(endpointName(endpoint), typeof value === 'number' ? String(value) : 'no data')
          }
        },
      )
    },
  })
}
