import { stripVTControlCharacters, styleText } from 'node:util'

/** Rows in columns, for standard output. The head is bold on a terminal; NO_COLOR and FORCE_COLOR decide otherwise. */
export function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  // Names are anybody's text: a control character in one would steer the terminal.
  const clean = rows.map(row => row.map(cell => stripVTControlCharacters(cell).replaceAll(/\p{Cc}/gu, ' ')))
  const lines = head ? [head, ...clean] : clean
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map(line => line[column]?.length ?? 0)))
  const texts = lines.map(line =>
    line
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  )
  if (head) texts[0] = styleText('bold', texts[0]!, { stream: process.stdout })
  return texts.join('\n')
}
