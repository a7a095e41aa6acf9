// Gateways before revision 40 refuse a database whose table kysely_migration has a name that they do not know. Rows that are no migrations make
// them refuse it, too.

/** A copy that is not finished: nobody may use the database. */
export const unfinishedCopy = 'unfinished-copy'

/** See `raiseOldest`. */
export function needsRevision(revision: number): string {
  return `needs-revision-${String(revision).padStart(4, '0')}`
}

export function isMark(name: string): boolean {
  return name === unfinishedCopy || /^needs-revision-\d+$/.test(name)
}
