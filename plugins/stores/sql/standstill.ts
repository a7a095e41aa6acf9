/** Longer, no request waits for one transaction: another process may have locked the database, or it is down. */
const standstillMs = 500
/** Short, so that a pause of this process counts as one tick only. */
const tickMs = 50

/** The database stands still. `mayHappen`: what was asked for may still happen. */
export class Standstill extends Error {
  readonly mayHappen: boolean

  constructor(mayHappen: boolean) {
    super(`the database has not answered for ${standstillMs} ms`)
    this.mayHappen = mayHappen
  }
}

/** Returns a function to call when the database has answered. Without it, `act` runs. */
export function onStandstill(act: () => void): () => void {
  let ticks = 0
  const timer = setInterval(() => ++ticks === standstillMs / tickMs && act(), tickMs).unref()
  return () => clearInterval(timer)
}

/** Throws a `Standstill` if the promise takes too long. */
export async function unlessStandstill<T>(promise: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const answered = onStandstill(() => reject(new Standstill(true)))
  try {
    return await Promise.race([promise, late])
  } finally {
    answered()
  }
}
