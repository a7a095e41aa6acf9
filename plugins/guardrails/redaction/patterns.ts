import { RE2JS, RE2JSException } from 're2js'

/** The reason why the linear-time engine cannot run a pattern, if it cannot. */
export function patternProblem({ name, pattern }: { readonly name: string; readonly pattern: string }): string | undefined {
  try {
    if (RE2JS.compile(pattern).matcher('').matches()) return `The pattern "${name}" matches the empty text.`
    return undefined
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return `The pattern "${name}" cannot run in linear time: ${error.message}. Look-around and back-references are not supported.`
  }
}
