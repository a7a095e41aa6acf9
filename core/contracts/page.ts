/** The start of a page: after the entry with this time and id. Entries with equal times are ordered by id. */
export interface Position {
  /** Milliseconds since the epoch. */
  readonly at: number
  /** Of the entry, for entries of the same time. */
  readonly id: string
}

/** The part of a list to return. */
export interface PageQuery {
  /** The most entries. */
  readonly limit: number
  /** Absent for the first page. */
  readonly after?: Position | undefined
}
