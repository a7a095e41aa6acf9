import type { GenerationRequest, Warning } from '../../../core/index.ts'

interface Row extends Warning {
  /** Whether the request asks for something that it does not get. Defaults need no warning. */
  readonly isAsked: (request: GenerationRequest) => boolean
}

const passedOn = 'passed on to providers that support it, without effect at others'

/**
 * Members without effect, or without effect at some providers: docs/protocol/request.md#accepted-without-effect. Remove a row when its
 * member works.
 */
const rows: readonly Row[] = [
  { param: 'background', isAsked: ({ background }) => background === true, message: 'not supported, the reply waited for the answer' },
  {
    param: 'conversation',
    isAsked: ({ conversation }) => conversation !== undefined,
    message: 'not supported, nothing was added or remembered: use previous_response_id',
  },
  { param: 'prompt', isAsked: ({ prompt }) => prompt !== undefined, message: 'not supported, the template was ignored' },
  { param: 'safety_identifier', isAsked: ({ safety_identifier: id }) => id !== undefined, message: 'not supported, no provider sees it' },
  {
    param: 'stream_options',
    isAsked: ({ stream_options: options }) => options !== undefined && Object.values(options).some(value => value !== undefined),
    message: 'not supported, the last event has the usage and events are never obfuscated',
  },
  { param: 'service_tier', isAsked: ({ service_tier: tier = 'auto' }) => tier !== 'auto' && tier !== 'default', message: passedOn },
  { param: 'truncation', isAsked: ({ truncation }) => truncation === 'auto', message: passedOn },
]

/** A warning for each member of the request that has no effect. */
export function withoutEffect(request: GenerationRequest): readonly Warning[] {
  return rows.filter(({ isAsked }) => isAsked(request))
}
