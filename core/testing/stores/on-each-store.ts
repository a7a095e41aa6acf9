import pTimeout from 'p-timeout'
import type { Maybe } from '../../runtime/pending.ts'
import type { SuiteContext } from '../provider-suite.ts'

/** A member of every object that the `open` of a suite returns. */
export interface Closing {
  /** Called after each test. */
  close?(): Maybe<void>
}

/** For a store that never answers, such as one that follows a circle of responses. */
const deadlineMs = 60_000

/** Gives every test an empty store. */
export function onEachStore<U extends Closing>(
  t: SuiteContext,
  open: () => Maybe<U>,
): (name: string, run: (under: U) => Promise<void>) => void {
  return (name, run) =>
    void t.test(name, async () => {
      const under = await open()
      try {
        await pTimeout(run(under), { milliseconds: deadlineMs, message: `"${name}" took longer than ${deadlineMs / 1_000} s` })
      } finally {
        await under.close?.()
      }
    })
}
