import { setTimeout as sleep } from 'node:timers/promises'

const limitMs = 300_000

/** Asks again and again until it is true. The limit only ends what hangs. */
export async function until(what: string, isTrue: () => boolean | Promise<boolean>, pauseMs = 20): Promise<void> {
  const startedAt = performance.now()
  while (!(await isTrue())) {
    if (performance.now() - startedAt > limitMs) throw new Error(`expected ${what}, but it was not so after ${limitMs / 1000} s`)
    await sleep(pauseMs)
  }
}
