/** The next steps, as lines to paste into a shell that is in the folder above. */
export function nextSteps(folder: string, commands: readonly string[]): string {
  const lines = folder === '.' ? commands : [`cd ${quoted(folder)}`, ...commands]
  return `Next:\n\n${lines.map(line => `  ${line}`).join('\n')}\n`
}

function quoted(path: string): string {
  return /^[\w@%+:,./~-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`
}
