/** What a model has said so far, for counting what its provider did not report. */
export interface Said {
  /** The number of generated characters. */
  readonly characters: number
  /** The texts without the first `characters`. */
  textsAfter(characters: number): readonly string[]
}
