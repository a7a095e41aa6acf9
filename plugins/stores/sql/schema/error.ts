/** A database that this version cannot use as it is. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError'
  /** The sentence that says what to do. */
  readonly remedy: string

  constructor(message: string, remedy: string) {
    super(message)
    this.remedy = remedy
  }
}
