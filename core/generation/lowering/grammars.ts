import { invalidRequest } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import type { Draft } from './draft.ts'
import type { OwnTool } from './own-tools.ts'

/** The longest regular expression that calls are checked against, in characters. */
const maxRegexLength = 10_000

/**
 * docs/protocol/tools.md#grammars: where the endpoint does not make calls match the grammar of their tool, calls are checked against
 * regular expressions before they are shown. Throws a 400 for one that cannot be checked, before the model is asked.
 */
export function checkGrammars({ raises, keyId }: Draft, offered: readonly OwnTool[]): void {
  const regexes = regexesOf(offered)
  if (regexes.length === 0) return
  for (const { name, regex } of regexes)
    if (regex.length > maxRegexLength)
      throw invalidRequest(
        wording`The grammar of the tool "${name}" is ${own(regex.length)} characters long, and this model's calls are checked against at most ${own(maxRegexLength)}.`,
        'tools',
      )
  raises.push(async function* (events, attempt) {
    const { requireRegexes } = await import('../structured-output/regex-checks.ts')
    await requireRegexes(regexes, keyId, attempt)
    yield* events
  })
}

export function grammarWarnings(offered: readonly OwnTool[]): readonly string[] {
  const warnings: string[] = []
  const lark = offered.filter(({ grammar }) => grammar !== undefined && grammar.syntax !== 'regex').map(({ name }) => name)
  if (lark.length > 0)
    warnings.push(`the lark grammar of ${lark.slice(0, maxNamed).join(', ')} is described to this model, and nothing makes calls match it`)
  if (regexesOf(offered).length > 0)
    warnings.push('a regex grammar is not enforced by this model: calls are checked, and asked for once more if they do not match')
  return warnings
}

const maxNamed = 5

function regexesOf(offered: readonly OwnTool[]): readonly { readonly name: string; readonly regex: string }[] {
  return offered.flatMap(({ name, grammar }) => (grammar?.syntax === 'regex' ? { name, regex: grammar.definition } : []))
}
