/** One in each sixteenth of the slots of a cluster, so that each of up to sixteen nodes of about equal size has one. */
export const partsOfCluster: readonly string[] = [
  'part42',
  'part3',
  'part28',
  'part15',
  'part43',
  'part2',
  'part29',
  'part14',
  'part40',
  'part1',
  'part39',
  'part13',
  'part45',
  'part0',
  'part38',
  'part12',
]
