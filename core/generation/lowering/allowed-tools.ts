import type { GenerationEvent } from '../../contracts/events.ts'
import type { ToolChoice } from '../../contracts/request.ts'
import { invalidRequest } from '../../foundation/errors.ts'
import { wording } from '../../foundation/wording.ts'
import type { RaisedCall } from '../raised-event.ts'
import { raiseEach, type Draft, type Raise } from './draft.ts'
import { isNamespace, isOwn, keyOf, toolsMeant, type OwnTool } from './own-tools.ts'

/** The keys of the caller's tools that the model may call. Undefined if `tool_choice` excludes none. */
export function allowedKeys(choice: ToolChoice | undefined, own: readonly OwnTool[]): ReadonlySet<string> | undefined {
  if (choice === 'none') return new Set()
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return undefined
  if (choice.mode === 'none') return new Set()
  return new Set(choice.tools?.flatMap(wanted => toolsMeant(wanted, own)).map(keyOf))
}

/** An endpoint that does not support `allowed_tools` is offered only the allowed tools (also docs/protocol/tools.md#web-search, rule 5). */
export function offerAllowedOnly({ request, endpoint }: Draft, allowed: ReadonlySet<string>): void {
  const { tools = [], tool_choice: choice } = request
  if (typeof choice !== 'object' || endpoint.capabilities.allowedTools) return
  const mode = choice.mode ?? 'auto'
  request.tool_choice = mode
  if (mode === 'none') return
  request.tools = tools.flatMap(tool => {
    if (isOwn(tool)) return allowed.has(keyOf(tool)) ? tool : []
    if (!isNamespace(tool)) return choice.tools?.some(({ type }) => type === tool.type) ? tool : []
    const inner = tool.tools.filter(({ type, name }) => allowed.has(keyOf({ type, name, namespace: tool.name })))
    return inner.length > 0 ? { ...tool, tools: inner } : []
  })
  if (mode === 'required' && request.tools.length === 0)
    throw invalidRequest(
      wording`tool_choice requires one of ${choice.tools?.map(({ type, name }) => name ?? type).join(', ') ?? ''}, which this model cannot run here.`,
      'tool_choice',
    )
}

/** docs/protocol/tools.md#choosing: the list is a hard constraint. Calls of other tools are not part of the answer. */
export function suppressOtherCalls(own: readonly OwnTool[], allowed: ReadonlySet<string>): Raise {
  const isAllowed = ({ name, namespace, custom, check }: RaisedCall): boolean => {
    const type = check && 'tool' in check ? check.tool : custom ? 'custom' : 'function'
    return toolsMeant({ type, name, namespace }, own).some(tool => allowed.has(keyOf(tool)))
  }
  return raiseEach(() => {
    let passed = 0
    return event => {
      if (event.type === 'finish') return event.reason === 'tool-calls' && passed === 0 ? { type: 'finish', reason: 'stop' } : event
      if (event.type !== 'tool-call') return event
      if (!isAllowed(event)) return [suppressionOf(event.name), { type: 'suppressed-call', key: event.key }]
      passed += 1
      return event
    }
  })
}

function suppressionOf(name: string): GenerationEvent {
  return { type: 'warning', param: 'tool_choice', message: `a call of ${name} was suppressed, which tool_choice does not allow` }
}
