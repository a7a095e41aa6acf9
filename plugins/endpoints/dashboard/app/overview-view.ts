import type { Parameters } from './place.ts'

let last: Parameters = {}

/** The range and the grouping that the overview showed last, until the document is loaded again. */
export function overviewParameters(): Parameters {
  return last
}

export function keepOverview({ range, by }: Parameters): void {
  last = { range, by }
}
