/** A model's output so far. Its tokens are counted if the provider does not report them. */
export interface Said {
  /** The number of generated characters. */
  readonly characters: number
  /** The texts without the first `characters`. */
  textsAfter(characters: number): readonly string[]
}
