import { globSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'
import { contracts } from '../../core/framework/contract-versions.ts'
import type { Contract } from '../../core/foundation/token.ts'
import { atRelease } from '../reference/since.ts'
import { addressProblem } from './addresses.ts'
import { notesOf, released, sectionsOf } from './changelog.ts'
import { contractProblems } from './contract-rules.ts'
import { ranges, statements, stepBetween, withVersion, type Step } from './versions.ts'

export interface ReleaseRequest {
  readonly root: string
  readonly version: string
  /** The address of the repository, or an empty text. */
  readonly home: string
  /** `YYYY-MM-DD`. */
  readonly date: string
}

export interface ReleasePlan {
  /** The new text of each file that changes, by its path. */
  readonly changed: ReadonlyMap<string, string>
  readonly notes: string
  /** Why there can be no release. Empty if there can. */
  readonly problems: readonly string[]
}

const contractsFile = 'scripts/release/contracts.json'

/** Works out what a release changes. Changes nothing. */
export function planRelease({ root, version, home, date }: ReleaseRequest): ReleasePlan {
  const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
  const current = (JSON.parse(textOf('package.json')) as { readonly version: string }).version
  const changelog = textOf('CHANGELOG.md')
  const isFirst = sectionsOf(changelog).every(({ name }) => name === 'Unreleased')
  const step = stepTo(version, current, isFirst)
  const problems = [addressProblem(home), typeof step === 'object' ? step.problem : undefined].filter(problem => problem !== undefined)
  const before = JSON.parse(textOf(contractsFile)) as readonly Contract[]
  if (typeof step === 'string') problems.push(...contractProblems(before, contracts, current, step))
  const changed = new Map<string, string>()
  const change = (path: string, text: string): void => void changed.set(path, text)
  let notes = ''
  try {
    notes = notesOf(changelog, version)
    change('CHANGELOG.md', released(changelog, version, date, home))
  } catch (error) {
    problems.push((error as Error).message)
  }
  const examples = globSync(ranges.file, { cwd: root }).map(file => ({ ...ranges, file: file.replaceAll(sep, '/') }))
  for (const statement of [...statements, ...examples])
    change(statement.file, withVersion(changed.get(statement.file) ?? textOf(statement.file), statement, version))
  for (const file of globSync(['test/fixtures/api/*.md', 'docs/reference/*.md'], { cwd: root })) {
    const text = textOf(file)
    if (atRelease(text, version) !== text) change(file.replaceAll(sep, '/'), atRelease(text, version))
  }
  change(contractsFile, `${JSON.stringify(contracts, undefined, 2)}\n`)
  return { changed, notes, problems }
}

/** The first release may have the version that package.json has had all along. */
function stepTo(version: string, current: string, isFirst: boolean): Step | { readonly problem: string } {
  if (isFirst && version === current) return 'minor'
  return (
    stepBetween(current, version) ?? {
      problem: `Expected a version above ${current}, such as ${current.replace(/\d+(?!.*\d)/, last => String(Number(last) + 1))}, but got '${version}'.`,
    }
  )
}
