/** How many parts of a request are asked at a time. */
const atOnce = 4

/** Asks for all parts, a few at a time. The first failure aborts the others and is thrown once they have stopped. */
export async function askParts<P, R>(
  parts: readonly P[],
  signal: AbortSignal,
  ask: (part: P, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  const results: R[] = []
  let next = 0
  const work = async (): Promise<void> => {
    while (next < parts.length && !either.aborted) {
      const index = next++
      results[index] = await ask(parts[index]!, either)
    }
  }
  let failure: { readonly error: unknown } | undefined
  const failed = (error: unknown): void => {
    failure ??= { error }
    stop.abort(error)
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, parts.length) }, () => work().catch(failed)))
  if (failure) throw failure.error
  signal.throwIfAborted()
  return results
}
