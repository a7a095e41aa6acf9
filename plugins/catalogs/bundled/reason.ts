/** What was wrong, in one line. Errors about a catalog hold nothing that a caller said. */
export function reasonOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 300)
}
