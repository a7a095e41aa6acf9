/** Prints the warnings of the admin API to standard error. */
export function warn(warnings: unknown): void {
  if (Array.isArray(warnings)) for (const warning of warnings) console.error(`Warning: ${String(warning)}`)
}
