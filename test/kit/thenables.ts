/* oxlint-disable unicorn/no-thenable */
// Promises of other kinds, as plugins may return them.

/** Calls back later, twice, with another value the second time. */
export function twice<T>(first: T, second: T): Promise<T> {
  return {
    then(resolve: (value: T) => void) {
      queueMicrotask(() => {
        resolve(first)
        resolve(second)
      })
    },
  } as unknown as Promise<T>
}

/** Calls back with the value, and `then` returns nothing. */
export function later<T>(value: T): Promise<T> {
  return twice(value, value)
}

export function never<T>(): Promise<T> {
  return { then() {} } as unknown as Promise<T>
}

/** `then` itself throws. */
export function throwing<T>(error: Error): Promise<T> {
  return {
    then() {
      throw error
    },
  } as unknown as Promise<T>
}

/** Reading `then` throws. */
export function unreadable<T>(error: Error): Promise<T> {
  return {
    get then(): never {
      throw error
    },
  } as unknown as Promise<T>
}

/** The rejections that nobody handled while `work` ran. */
export async function unhandledDuring(work: () => Promise<unknown>): Promise<readonly unknown[]> {
  const unhandled: unknown[] = []
  const listener = (reason: unknown): number => unhandled.push(reason)
  process.on('unhandledRejection', listener)
  try {
    await work()
    for (let turn = 0; turn < 3; turn++) await new Promise(setImmediate)
  } finally {
    process.off('unhandledRejection', listener)
  }
  return unhandled
}
