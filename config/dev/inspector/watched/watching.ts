import type { NamedEndpoint } from '../../../../core/contracts/catalog.ts'
import { isPending, type Maybe } from '../../../../core/runtime/pending.ts'
import type { Inspection } from '../inspection.ts'
import type { Inspector } from '../inspector.ts'
import type { Step, StepOf } from '../step.ts'

/** Who watches a contribution, and whose it is. */
export interface Watching {
  readonly inspector: Inspector
  readonly plugin: string
}

/** Where steps are added. */
export interface Watched {
  readonly inspector: Inspector
  readonly inspection: Inspection
  /** Without the function. */
  readonly of: Omit<StepOf, 'hook'>
}

/** The steps of a contribution in the request that the caller runs in. Undefined outside of one. */
export function watchedHere({ inspector, plugin }: Watching, kind: string, name: string): Watched | undefined {
  const inspection = inspector.here?.inspection
  return inspection && { inspector, inspection, of: { plugin, kind, name } }
}

export function begin({ inspector, inspection, of }: Watched, hook: string): Step {
  return inspector.begin(inspection, { ...of, hook })
}

/** Runs code as a part of a step, so that what it calls is found to be within it. */
export function within<T>({ inspector, inspection }: Watched, step: Step, run: () => T): T {
  return inspector.within({ inspection, step }, run)
}

/**
 * Runs a function of a plugin as a step, and returns what `read` makes of its result. What it throws goes on as it is, and so does what `read`
 * cannot read.
 */
export function follow<T>(watched: Watched, step: Step, run: () => Maybe<T>, read: (result: T) => T | void): Maybe<T> {
  const settled = (result: T): T => {
    const made = quietly(() => read(result))
    step.end()
    return made === undefined ? result : made
  }
  const failed = (error: unknown): never => {
    step.fail(error)
    throw error
  }
  let result: Maybe<T>
  try {
    result = within(watched, step, run)
  } catch (error) {
    return failed(error)
  }
  return isPending(result) ? Promise.resolve(result).then(settled, failed) : settled(result)
}

/** Like `follow`, for a function that is synchronous. */
export function followNow<T>(watched: Watched, step: Step, run: () => T, read: (result: T) => T | void): T {
  return follow<T>(watched, step, run, read) as T
}

/** An inspector must not fail a request. What a plugin returns may be anything. */
export function quietly<T>(run: () => T): T | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}

export function endpointName({ provider, model }: NamedEndpoint): string {
  return `${provider}/${model}`
}
