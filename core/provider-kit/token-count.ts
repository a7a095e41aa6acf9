// A vendor's usage with a count that cannot be read must not be a bill of less. Core refuses a usage with NaN in it, says so in the log, and
// counts the tokens itself.

/** For a count that a vendor's usage must have. NaN if it is missing, or no whole number from 0. */
export function tokenCount(value: unknown): number {
  return Number.isInteger(value) && (value as number) >= 0 ? (value as number) : Number.NaN
}

/** For a count that vendors leave out if it is 0: then it is 0. NaN if it is there and no whole number from 0. */
export function tokenCountIfAny(value: unknown): number {
  return value === undefined || value === null ? 0 : tokenCount(value)
}
