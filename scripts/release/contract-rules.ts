import type { Contract } from '../../core/foundation/token.ts'
import type { Step } from './versions.ts'

/**
 * The contracts that a release must not have, compared with those of the release before. docs/versions.md states these rules for the
 * people who write plugins. Experimental contracts may change in any release.
 */
export function contractProblems(before: readonly Contract[], now: readonly Contract[], from: string, step: Step): readonly string[] {
  return before.filter(({ stability }) => stability === 'stable').flatMap(old => problemOf(old, now, step, mayBreak(from, step)) ?? [])
}

/** The steps that may end a promise: to the next major version, and before 1.0.0 to the next minor one. */
export function mayBreak(from: string, step: Step): boolean {
  return step === 'major' || (step === 'minor' && from.startsWith('0.'))
}

function problemOf(old: Contract, now: readonly Contract[], step: Step, breaks: boolean): string | undefined {
  const next = now.find(({ name }) => name === old.name)
  const advice = 'Release a new major version (before 1.0.0: a new minor one), or take the change back.'
  if (!next) return breaks ? undefined : `the stable contract ${old.name} is gone. ${advice}`
  if (next.stability !== 'stable') return breaks ? undefined : `the contract ${old.name} was stable and is experimental. ${advice}`
  if (next.version < old.version) return `the contract ${old.name} went back from version ${old.version} to ${next.version}`
  if (next.version > old.version && step === 'patch')
    return `the stable contract ${old.name} has version ${next.version}: expected version ${old.version} in a patch version. Release a minor one.`
  const { oldest = next.version } = next
  if (oldest > old.version)
    return `the stable contract ${old.name} has version ${next.version}, and plugins for version ${old.version} of the release before do not load. Keep them working for one release: set \`oldest: ${old.version}\`.`
  if (oldest > (old.oldest ?? old.version) && !breaks)
    return `plugins for version ${old.oldest} of the contract ${old.name} no longer load. ${advice}`
  return undefined
}
