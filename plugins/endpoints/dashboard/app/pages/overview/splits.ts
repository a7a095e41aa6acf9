import type { Parameters } from '../../place.ts'

/** The ways to split the overview, and where a click on a group leads. */
export const splits = {
  model: { label: 'Model', linkOf: (value: string) => ({ page: 'logs' as const, query: { model: value } }) },
  provider: { label: 'Provider', linkOf: (value: string) => ({ page: 'logs' as const, query: { provider: value } }) },
  key: { label: 'Key', linkOf: (value: string) => ({ page: 'logs' as const, query: { key: value } }) },
  team: { label: 'Team', linkOf: (value: string) => ({ page: '' as const, query: { team: value } }) },
  session: { label: 'Session', linkOf: (value: string) => ({ page: '' as const, query: { session: value, by: undefined } }) },
  org: { label: 'Organization', linkOf: (value: string) => ({ page: '' as const, query: { org: value } }) },
} as const satisfies Readonly<
  Record<string, { readonly label: string; readonly linkOf: (value: string) => { readonly page: '' | 'logs'; readonly query: Parameters } }>
>

export type Split = keyof typeof splits

/** True if the errors and times of a group are those of attempts: a request may have asked several models and providers. */
export function countsAttempts(split: Split): boolean {
  return split === 'model' || split === 'provider'
}

/** The start of a session's id, which is long. */
export function shortSession(id: string): string {
  return `${id.slice(0, 12)}…`
}

export function isSplit(name: string | undefined): name is Split {
  return name !== undefined && Object.hasOwn(splits, name)
}

/** The API's name for models that no catalog lists, beyond the first hundred. */
export const otherModel = 'other'
