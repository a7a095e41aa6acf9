/** The outcome of one process. */
export interface Outcome {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  /** The failures as written, with the file; and how the process ended if it did not end well. */
  readonly failures: readonly string[]
  /** Why tests were skipped, once for each test. */
  readonly reasons: readonly string[]
  readonly times: readonly FileTime[]
}

export interface FileTime {
  readonly file: string
  readonly ms: number
}

/** How a process ended: `why` is what ended it, where that was not the process itself. */
export interface Ending {
  readonly exitCode: number | null
  /** Its standard error. */
  readonly complaints: string
  readonly why?: string
}

const maxFailureLength = 60

/** Reads the output of scripts/tests/run-files.ts. A process that ended early or badly counts as a failure, even if its output has none. */
export function outcomeOf(output: string, files: readonly string[], { exitCode, complaints, why }: Ending): Outcome {
  const counts = new Map<string, number>()
  const [, summary = ''] = /^# \{ (total: .*) \}\n(?![^]*^# \{)/m.exec(output) ?? []
  for (const [, kind, count] of summary.matchAll(/(\w+): (\d+)/g)) counts.set(kind!, Number(count))
  const failures: string[] = []
  const reasons: string[] = []
  const times: FileTime[] = []
  let file = files[0]!
  const lines = output.split('\n')
  for (const [at, line] of lines.entries()) {
    const [, begun] = /^# begin (\S+)$/.exec(line) ?? []
    if (begun !== undefined) file = begun
    const [, took] = /^# took (\d+) ms$/.exec(line) ?? []
    if (took !== undefined) times.push({ file, ms: Number(took) })
    const [, mark, reason] = /^ *(?:not )?ok\b.*? # (SKIP|TODO)\b ?(.*)$/.exec(line) ?? []
    if (mark === 'SKIP') reasons.push(reason!)
    // A test whose assertion failed fails too; the assertion says more.
    else if (!mark && /^ *not ok\b/.test(line) && !failsWithin(lines, at)) failures.push(`${file}\n${shown(lines, at)}`)
  }
  const failed = counts.get('fail') ?? 0
  const isOver = summary !== '' && times.length === files.length
  const bad =
    why ??
    (isOver ? (exitCode !== 0 && failed === 0 ? `ended with exit code ${exitCode}` : undefined) : `ended early, with exit code ${exitCode}`)
  if (bad !== undefined)
    failures.push(`${file}: the process ${bad}\n${[...lines, ...complaints.split('\n')].slice(-maxFailureLength).join('\n')}`)
  return {
    passed: (counts.get('pass') ?? 0) + passedByNode(output),
    failed: failed + (bad === undefined ? 0 : 1),
    skipped: counts.get('skip') ?? 0,
    failures,
    reasons,
    times,
  }
}

/** True if the test whose result is in this line contains a failure of its own: its lines are before it, and further to the right. */
function failsWithin(lines: readonly string[], at: number): boolean {
  const indent = indentOf(lines[at]!)
  for (let before = at - 1; before >= 0; before--) {
    const line = lines[before]!
    if (/^ *(not )?ok\b/.test(line) && indentOf(line) <= indent) return false
    if (/^ *not ok\b/.test(line) && indentOf(line) > indent) return true
  }
  return false
}

/** The failed assertion with what is written below it. */
function shown(lines: readonly string[], at: number): string {
  const indent = indentOf(lines[at]!)
  const end = lines.findIndex((line, index) => index > at && line === `${' '.repeat(indent + 2)}...`)
  const last = end < 0 || end > at + maxFailureLength ? at + maxFailureLength : end
  return lines.slice(at, last + 1).join('\n')
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Files that use node:test, such as those of the examples, write a summary of their own. */
function passedByNode(output: string): number {
  return Array.from(output.matchAll(/^# pass (\d+)$/gm)).reduce((sum, [, count]) => sum + Number(count), 0)
}
