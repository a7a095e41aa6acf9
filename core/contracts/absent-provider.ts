/** A provider that this gateway could load but did not. Named in the error of a request that asks for it. */
export interface AbsentProvider {
  readonly id: string
  /** What to do, as the rest of a sentence: `set ACME_API_KEY`. Callers read it, so it holds no secret. */
  readonly remedy: string
}
