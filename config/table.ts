import { stripVTControlCharacters, styleText } from 'node:util'

/** Formats rows as columns for standard output. The head is bold on a terminal, unless NO_COLOR or FORCE_COLOR says otherwise. */
export function table(head: readonly string[] | undefined, rows: readonly (readonly string[])[]): string {
  // Names are user input: control characters in them could control the terminal.
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
