/** The problem in one line. Errors about a catalog never contain request content. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
