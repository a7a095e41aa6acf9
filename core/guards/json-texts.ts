import { drained } from './steps.ts'
import { readJson } from './json-reader.ts'

/** A string or a number of a JSON document. */
export interface JsonText {
  /** A string without its escapes, or a number without an exponent and an empty fraction. */
  readonly text: string
  /** Replaces it with a string. */
  replace(text: string): void
}

/** Made by `jsonTexts`, for guardrails that replace text in JSON. */
export interface JsonTexts {
  /** In the order of the document. */
  readonly texts: readonly JsonText[]
  /** The document with its replacements. Everything else stays as written: spaces, repeated members, long numbers. */
  written(): string
}

/** The strings in a text, if it is a JSON object, array or string. */
export function jsonTexts(source: string): JsonTexts | undefined {
  const document = drained(readJson(source))
  if (!document) return undefined
  return {
    texts: document.texts.map((text, index) => ({ text, replace: changed => document.replace(index, changed) })),
    written: () => drained(document.written()),
  }
}
