/** A look-up that memory can answer waits no longer for the database: another process may have locked it, or it is down. */
const standstillMs = 500
/** Short, so that a pause of this process counts as one tick only. */
export const tickMs = 50

/** The database has not answered in time. `mayHappen`: what was asked for may still happen. */
export class Standstill extends Error {
  readonly mayHappen: boolean

  constructor(mayHappen: boolean, waitedMs: number) {
    super(`the database has not answered for ${waitedMs} ms`)
    this.mayHappen = mayHappen
  }
}

/** Returns a function to call when the database has answered. */
export function everyTick(act: () => void): () => void {
  const timer = setInterval(act, tickMs).unref()
  return () => clearInterval(timer)
}

/** Returns a function to call when the database has answered. Without it, `act` runs. */
export function onStandstill(act: () => void, afterMs = standstillMs): () => void {
  let ticks = 0
  return everyTick(() => ++ticks === Math.ceil(afterMs / tickMs) && act())
}

/** Throws a `Standstill` if the promise takes too long. */
export async function unlessStandstill<T>(promise: Promise<T>, afterMs = standstillMs): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>()
  const answered = onStandstill(() => reject(new Standstill(true, afterMs)), afterMs)
  try {
    return await Promise.race([promise, late])
  } finally {
    answered()
  }
}
