import type { Siblings } from '../contracts/siblings.ts'

/** For a process that serves alone. */
export const noSiblings: Siblings = {
  worker: undefined,
  answer: () => {},
  ask: () => Promise.resolve({ answers: [], silent: 0 }),
}
