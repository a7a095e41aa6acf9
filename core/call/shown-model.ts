import type { RequestRecord } from '../contracts/log-sink.ts'

export interface ShownModel {
  readonly model: string | null
  /** A catalog lists it. */
  readonly isListed: boolean
}

/** The model of a request. Null if the caller may have made the name up and the policy's `logging`, which `showsNames` says, is off. */
export function shownModel(
  { provider, model, attempts }: Pick<RequestRecord, 'provider' | 'model' | 'attempts'>,
  showsNames: boolean,
): ShownModel {
  if (model === null) return { model, isListed: false }
  const isListed = !attempts.some(attempt => attempt.provider === provider && attempt.model === model && attempt.listed === false)
  return { model: showsNames || isListed ? model : null, isListed }
}
