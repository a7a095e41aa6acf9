/** A value, or a promise of it. */
export type Maybe<T> = T | Promise<T>

/**
 * True if a value is a promise. Also for what plugins return, which may be a promise of another kind: its `then` may throw, or call back
 * more than once, so take it as `Promise.resolve(value)`.
 */
export function isPending<T>(value: Maybe<T>): value is Promise<T> {
  return typeof (value as { readonly then?: unknown } | undefined)?.then === 'function'
}
