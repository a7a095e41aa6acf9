import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import type { RaisedAttempt } from '../lowering/draft.ts'
import { aside } from './aside.ts'
import { schemaChecks } from './schema-checks.ts'

/** Throws a 400 for the first regular expression that cannot be checked. */
export async function requireRegexes(
  grammars: readonly { readonly name: string; readonly regex: string }[],
  keyId: string,
  attempt: RaisedAttempt,
): Promise<void> {
  for (const { name, regex } of grammars) {
    const problem = await aside(attempt, () => schemaChecks.usable(regex, keyId, attempt.signal, 'regex'))
    if (problem !== undefined) throw unusable(name, problem)
  }
}

/** True if the whole text matches. Throws a 400 if that cannot be told. */
export async function matchesRegex(
  { name, regex }: { readonly name: string; readonly regex: string },
  text: string,
  keyId: string,
  signal: AbortSignal,
): Promise<boolean> {
  const verdict = await schemaChecks.judge(regex, text, keyId, signal, 'regex')
  if (!verdict.usable) throw unusable(name, verdict.problem)
  return verdict.problems.length === 0
}

function unusable(name: string, problem: string): Error {
  return invalidRequest(
    wording`Calls of the tool "${name}" cannot be checked against its regex grammar on this model: ${problem}.`,
    'tools',
  )
}
