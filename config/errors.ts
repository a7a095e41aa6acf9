/** Everything that is wrong with a config, or with what it asks for: said to the operator without a stack trace. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  /** `source` is the file at fault, or undefined where none is. */
  constructor(source: string | undefined, problems: readonly string[]) {
    const lead = source === undefined ? '' : `${source}: `
    super(problems.length === 1 ? `${lead}${problems[0]}` : `${lead}${problems.length} problems\n${problems.map(bullet).join('\n')}`)
    this.problems = problems
  }
}

/** What was wrong, one by one: several plugins' problems come as one `AggregateError`. */
export function problemsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(problemsOf)
  if (error instanceof ConfigError) return error.problems
  return [error instanceof Error ? error.message : String(error)]
}

function bullet(problem: string): string {
  return `  - ${problem.replaceAll('\n', '\n    ')}`
}
