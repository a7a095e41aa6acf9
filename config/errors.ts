import { branded } from '../core/foundation/brand.ts'

/** Problems that the operator can fix, in the config or in the files that it refers to. Printed without a stack trace. */
export class ConfigError extends Error {
  static {
    // A command that is installed elsewhere reads configs that import the copy of their project.
    branded(this, 'config-error')
  }

  override readonly name = 'ConfigError'
  readonly problems: readonly string[]

  /** `source`: the file at fault, if there is one. */
  constructor(source: string | undefined, problems: readonly string[]) {
    const lead = source === undefined ? '' : `${source}: `
    const [first = ''] = problems
    // One from a config in JSON or YAML has the file, with its line.
    const single = first.startsWith(`${source}:`) ? first : `${lead}${first}`
    super(problems.length === 1 ? single : `${lead}${problems.length} problems\n${problems.map(bullet).join('\n')}`)
    this.problems = problems
  }
}

/** The message of each problem. An `AggregateError` holds those of several plugins. */
export function problemsOf(error: unknown): readonly string[] {
  if (error instanceof AggregateError) return error.errors.flatMap(problemsOf)
  if (error instanceof ConfigError) return error.problems
  return [error instanceof Error ? error.message : String(error)]
}

function bullet(problem: string): string {
  return `  - ${problem.replaceAll('\n', '\n    ')}`
}

/** A problem that the operator can fix is a message. Anything else is a bug, and comes with its stack. */
export function failureText(error: unknown): string {
  if (error instanceof ConfigError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
