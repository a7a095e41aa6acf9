import { isJson } from '../../foundation/json.ts'

/** The JSON in an answer, or why there is none. */
export type ExtractedJson = { readonly text: string; readonly problem?: undefined } | { readonly problem: string }

/**
 * Extracts the single JSON value from an answer. Removes code fences, surrounding prose and small syntax errors. Never changes or
 * completes the content, and never chooses among several values. Linear in the length of the answer.
 */
export function extractJson(answer: string): ExtractedJson {
  if (isJson(answer)) return { text: answer }
  const trimmed = answer.trim()
  if (trimmed === '') return { problem: 'it is empty' }
  const bare = withoutFence(trimmed)
  if (isJson(bare)) return { text: bare }
  let object: string | undefined
  const lists: string[] = []
  for (let at = nextOpening(answer, 0); at !== -1;) {
    const end = closingOf(answer, at)
    if (end === -1) return { problem: 'it contains a JSON value that does not end' }
    const json = readable(answer.slice(at, end))
    if (json !== undefined && answer[at] === '{') {
      if (object !== undefined) return several
      object = json
    } else if (json !== undefined && standsAlone(answer, at, end)) lists.push(json)
    at = nextOpening(answer, end)
  }
  if (lists.length > 1 && object === undefined) return several
  const text = object ?? lists[0]
  return text === undefined ? { problem: 'it contains no JSON value' } : { text }
}

const several: ExtractedJson = { problem: 'it contains several JSON values' }

export function isJsonObject(text: string): boolean {
  return text.trimStart().startsWith('{') && isJson(text)
}

/** The content of a code fence, if the fence is the whole text. */
function withoutFence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text
  const line = text.indexOf('\n')
  return line === -1 ? text : text.slice(line + 1, -3).trim()
}

function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (text[at] === '{' || text[at] === '[') return at
  return -1
}

/** The index after the bracket that closes the one at `start`, or -1. */
function closingOf(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (character === '"') {
      at = stringEnd(text, at)
      if (at === -1) return -1
    } else if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') {
      depth--
      if (depth === 0) return at + 1
    }
  }
  return -1
}

/** The index of the quotation mark that ends the string at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  }
  return -1
}

/** True if a list has its lines to itself. Lists within prose, such as "[1]", are footnotes. */
function standsAlone(text: string, start: number, end: number): boolean {
  let before = start - 1
  while (before >= 0 && ' \t\r'.includes(text[before]!)) before--
  let after = end
  while (after < text.length && ' \t\r'.includes(text[after]!)) after++
  return (before < 0 || text[before] === '\n') && (after === text.length || text[after] === '\n')
}

/** The JSON in a text, unless the brackets are only part of prose. */
function readable(text: string): string | undefined {
  if (isJson(text)) return text
  const tidied = tidy(text)
  return isJson(tidied) ? tidied : undefined
}

/** Fixes two unambiguous errors: a trailing comma, and unescaped line breaks inside a string. */
function tidy(text: string): string {
  let tidied = ''
  let copied = 0
  const replace = (from: number, to: number, by: string): void => {
    tidied += text.slice(copied, from) + by
    copied = to
  }
  // The last character that is not white space. A comma after a bracket or another comma is not a trailing comma.
  let previous = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!
    if (isSpace(character)) continue
    if (character === '"') {
      const end = stringEnd(text, at)
      replace(at, end + 1, escapeControls(text.slice(at, end + 1)))
      at = end
    } else if (character === ',' && !'[{,:'.includes(previous) && closesAfter(text, at)) replace(at, at + 1, '')
    previous = character
  }
  return tidied + text.slice(copied)
}

/** True if only white space separates a comma from a closing bracket. */
function closesAfter(text: string, comma: number): boolean {
  let at = comma + 1
  while (at < text.length && isSpace(text[at]!)) at++
  return text[at] === '}' || text[at] === ']'
}

function isSpace(character: string): boolean {
  return ' \n\r\t'.includes(character)
}

const escapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\b': '\\b', '\f': '\\f' }

function escapeControls(string: string): string {
  // oxlint-disable-next-line no-control-regex
  return string.replaceAll(/[\u0000-\u001f]/g, control => escapes[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
