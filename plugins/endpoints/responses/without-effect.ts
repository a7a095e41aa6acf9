import { invalidRequest } from '../../../core/index.ts'
import type { Warning } from '../../../core/kit.ts'
import type { RequestBody } from './request-body.ts'

/** Something that requests may ask for and the gateway does not have. */
export type OnUnsupported = 'warn' | 'refuse'

interface Row extends Warning {
  /** True if the request asks for something that it does not get. Defaults need no warning. */
  readonly isAsked: (body: RequestBody, isBackground: boolean) => boolean
  /** Says what to do instead. The answer is not what the caller asked for, so the operator may refuse such requests. */
  readonly instead?: string
}

const passedOn = 'passed on to providers that support it, without effect at others'

/**
 * Members without effect, or without effect at some providers: docs/protocol/request.md#accepted-without-effect. Remove a row when its
 * member works.
 */
const rows: readonly Row[] = [
  {
    param: 'background',
    isAsked: ({ background }, isBackground) => background === true && !isBackground,
    message: 'the reply waited for the answer, because only responses that are stored can run in the background',
    instead: 'Leave it out, and wait for the answer',
  },
  {
    param: 'conversation',
    isAsked: ({ conversation }) => conversation !== undefined,
    message: 'not supported, nothing was added or remembered: use previous_response_id',
    instead: 'Use previous_response_id',
  },
  {
    param: 'prompt',
    isAsked: ({ prompt }) => prompt !== undefined,
    message: 'not supported, the template was ignored',
    instead: 'Send its text as instructions and input',
  },
  { param: 'safety_identifier', isAsked: ({ safety_identifier: id }) => id !== undefined, message: 'not supported, no provider sees it' },
  {
    param: 'stream_options',
    isAsked: ({ stream_options: options }) => options !== undefined && Object.values(options).some(value => value !== undefined),
    message: 'not supported, the last event has the usage and events are never obfuscated',
  },
  { param: 'service_tier', isAsked: ({ service_tier: tier = 'auto' }) => tier !== 'auto' && tier !== 'default', message: passedOn },
  { param: 'truncation', isAsked: ({ truncation }) => truncation === 'auto', message: passedOn },
]

/** A warning for each member of the body that has no effect. With `refuse`, throws a 400 for one that changes what is answered. */
export function withoutEffect(body: RequestBody, unsupported: OnUnsupported, isBackground: boolean): readonly Warning[] {
  const asked = rows.filter(({ isAsked }) => isAsked(body, isBackground))
  const refused = unsupported === 'refuse' ? asked.find(({ instead }) => instead) : undefined
  if (refused)
    throw invalidRequest(`This gateway does not support ${refused.param}. ${refused.instead}.`, refused.param, 'unsupported_parameter')
  return asked
}
