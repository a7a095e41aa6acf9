import { branded } from './brand.ts'

const leftOut = '…'

/** A part of a message that neither a caller nor a vendor made up: a setting, a name of the config, a number that the gateway counted. */
export class Own {
  /** Shown in both forms of a `Wording`. */
  readonly text: string

  static {
    branded(this, 'own')
  }

  constructor(text: string) {
    this.text = text
  }
}

/** A message in two forms: with all that it quotes, and without what may be content. Made by `wording`. */
export class Wording {
  /** For the caller: with all that it quotes. */
  readonly text: string
  /** Only the words of the source code and what `own` lets through. */
  readonly unquoted: string

  static {
    branded(this, 'wording')
  }

  constructor(text: string, unquoted: string) {
    this.text = text
    this.unquoted = unquoted
  }

  /** Returns `text`. */
  toString(): string {
    return this.text
  }
}

/**
 * Writes a message that may quote a request or a vendor: wording`This API key may not use "${model}".` What stands in braces is left out of
 * its unquoted form, unless it is a `Wording` itself or goes through `own`.
 */
export function wording(words: TemplateStringsArray, ...quoted: readonly (string | number | Own | Wording)[]): Wording {
  let text = words[0]!
  let unquoted = text
  for (const [index, value] of quoted.entries()) {
    const next = words[index + 1]!
    text += (typeof value === 'object' ? value.text : value) + next
    unquoted += (value instanceof Wording ? value.unquoted : value instanceof Own ? value.text : leftOut) + next
  }
  return new Wording(text, unquoted)
}

/** Lets a value through. It must not come from a request or a vendor. */
export function own(value: string | number): Own {
  return new Own(String(value))
}
