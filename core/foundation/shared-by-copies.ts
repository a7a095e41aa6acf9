/**
 * A value that all copies of this package in a process share, also those of other versions: its form must never change. The first copy that
 * asks makes it.
 */
export function sharedByCopies<T>(name: string, make: () => T): T {
  const known = globalThis as Record<symbol, unknown>
  return (known[Symbol.for(`turnpike/${name}`)] ??= make()) as T
}
