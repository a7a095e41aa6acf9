/** A provider that this gateway could load but did not. Requests for it fail with an error that names the remedy. */
export interface AbsentProvider {
  readonly id: string
  /** How to add it, as the end of a sentence: `set ACME_API_KEY`. Callers see it, so it must not contain secrets. */
  readonly remedy: string
}
