import { stripVTControlCharacters, styleText } from 'node:util'

const nameWidth = 11

/** Names are user input: control characters in them could control the terminal. */
export function clean(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{Cc}/gu, ' ')
}

/** A heading on the left, and lines beside it. */
export function section(name: string, lines: readonly string[]): readonly string[] {
  return lines.map((line, index) => `${index === 0 ? heading(name.padEnd(nameWidth)) : ' '.repeat(nameWidth)}${line}`.trimEnd())
}

/** The width that is left beside the heading. */
export function widthBeside(width: number): number {
  return width - nameWidth
}

/** Bold on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise. */
export function heading(text: string): string {
  return styleText('bold', text, { stream: process.stdout })
}

/** Breaks a text between words. A longer word has a line of its own, and is cut. */
export function wrapped(text: string, width: number, indent = ''): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of clean(text).split(/\s+/).filter(Boolean)) {
    const room = width - (lines.length > 0 ? indent.length : 0)
    if (line !== '' && line.length + 1 + word.length > room) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? shortened(word, room) : `${line} ${word}`
  }
  if (line !== '') lines.push(line)
  return lines.map((each, index) => (index === 0 ? each : indent + each))
}

export function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`
}

/** `850 ms`, `4.21 s` or `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Number(ms.toPrecision(3))} ms`
  if (ms < 59_950) return `${Number((ms / 1_000).toPrecision(3))} s`
  const seconds = Math.round(ms / 1_000)
  const rest = seconds % 60
  return `${Math.floor(seconds / 60)} min${rest === 0 ? '' : ` ${rest} s`}`
}

export function dollars(usd: number): string {
  return `${Number(usd.toFixed(6))} USD`
}
