import type { JsonObject } from '../../../core/index.ts'
import { nearest, type Warning } from '../../../core/kit.ts'
import { isOfAnotherGateway } from './other-gateways.ts'

const maxChecked = 20
const maxNameLength = 64

/** A warning for each unknown top-level member that is probably a misspelled known one. Others may be meant for the provider. */
export function misspelledMembers(unknown: JsonObject, known: Iterable<string>): readonly Warning[] {
  const names = [...known]
  return Object.keys(unknown)
    .slice(0, maxChecked)
    .flatMap(param => {
      if (isOfAnotherGateway(param)) return []
      const meant = param.length <= maxNameLength ? nearest(param, names, lettersWrong(param)).find(name => isNear(name, param)) : undefined
      return meant === undefined ? [] : [{ param, message: `unknown, so it may have no effect: did you mean ${meant}?` }]
    })
}

/** Short names of vendors' own members are close to everything: `top_k` is not `top_p`. */
function lettersWrong({ length }: string): number {
  return length < 6 ? 0 : 2
}

/** `nearest` also finds names that contain the one asked for, such as `tool_choice` for `choice`. */
function isNear(name: string, param: string): boolean {
  return Math.abs(name.length - param.length) <= lettersWrong(param)
}
