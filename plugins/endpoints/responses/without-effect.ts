import { invalidRequest } from '../../../core/index.ts'
import { type Warning, wording, own } from '../../../core/kit.ts'
import type { ConversationUse } from './conversation.ts'
import type { RequestBody } from './request-body.ts'

/** Something that requests may ask for and the gateway does not have. */
export type OnUnsupported = 'warn' | 'refuse'

/** The part of it that the gateway has for this caller. */
export interface Served {
  /** Default: `absent`. */
  readonly conversations?: ConversationUse
  /** True if it can do what `background` asks for. Default: false. */
  readonly isBackground?: boolean
}

interface Row extends Warning {
  /** True if the request asks for something that it does not get. Defaults need no warning. */
  readonly isAsked: (body: RequestBody, served: Served) => boolean
  /** Says what to do instead. The answer is not what the caller asked for, so the operator may refuse such requests. */
  readonly instead?: string
  /** Ends the sentence that refuses it. */
  readonly condition?: string
}

const passedOn = 'passed on to providers that support it, without effect at others'

/**
 * Members without effect, or without effect at some providers: docs/protocol/request.md#accepted-without-effect. Remove a row when its
 * member works.
 */
const rows: readonly Row[] = [
  {
    param: 'background',
    isAsked: ({ background }, { isBackground = false }) => background === true && !isBackground,
    message: 'the reply waited for the answer, because only responses that are stored can run in the background',
    instead: 'Leave it out, and wait for the answer',
  },
  {
    param: 'conversation',
    isAsked: ({ conversation }, { conversations = 'absent' }) => conversation !== undefined && conversations === 'absent',
    message: 'not supported, nothing was added or remembered: use previous_response_id',
    instead: 'Use previous_response_id',
  },
  {
    param: 'conversation',
    isAsked: ({ conversation }, { conversations }) => conversation !== undefined && conversations === 'unlogged',
    message: 'needs request logging, which is off for this API key: nothing was added or remembered',
    condition: 'without request logging, which is off for this API key',
    instead: 'Turn it on, or send the whole conversation as input',
  },
  {
    param: 'store',
    isAsked: ({ conversation, store }, { conversations }) => conversation !== undefined && store === false && conversations === 'kept',
    message: 'false, so nothing was added to the conversation',
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
export function withoutEffect(body: RequestBody, unsupported: OnUnsupported, served: Served): readonly Warning[] {
  const asked = rows.filter(({ isAsked }) => isAsked(body, served))
  const refused = unsupported === 'refuse' ? asked.find(({ instead }) => instead) : undefined
  if (refused) {
    const { param, instead, condition } = refused
    const member = condition === undefined ? param : `${param} ${condition}`
    throw invalidRequest(wording`This gateway does not support ${own(member)}. ${own(instead!)}.`, param, 'unsupported_parameter')
  }
  return asked
}
