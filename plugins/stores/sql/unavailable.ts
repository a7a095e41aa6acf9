/** True if a statement failed because the database cannot be reached or is busy, so that it may succeed later. */
export function isUnavailable(error: unknown): boolean {
  const { errcode, code, message } = error as { readonly errcode?: unknown; readonly code?: unknown; readonly message?: unknown }
  if (typeof errcode === 'number') return passing.has(errcode & 0xff)
  if (typeof code === 'string') return /^(08|53|57|40|25006)/.test(code) || code.startsWith('E')
  return typeof message === 'string' && /connection|timeout|database was closed/i.test(message)
}

/** Busy, locked, out of memory, read-only, interrupted, I/O error, disk full, cannot open: https://sqlite.org/rescode.html */
const passing: ReadonlySet<number> = new Set([5, 6, 7, 8, 9, 10, 13, 14])
