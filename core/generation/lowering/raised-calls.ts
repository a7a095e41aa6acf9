import type { RaisedCall } from '../raised-event.ts'
import { raiseEach, type Raise } from './draft.ts'
import { isAgentTool, type ToolForm, type ToolNames } from './tool-names.ts'

/** Restores the caller's tool names and types in calls. Calls of tools that were never offered pass unchanged. */
export function raiseCalls(names: ToolNames, form: ToolForm): Raise {
  return raiseEach(() => event => (event.type === 'tool-call' ? raised(event, names, form) : event))
}

function raised({ name: asked, namespace: within, custom, ...call }: RaisedCall, names: ToolNames, form: ToolForm): RaisedCall {
  const tool = names.find(asked, within)
  if (tool && isAgentTool(tool)) return { ...call, name: tool.name, check: { tool: tool.type } }
  const isCustom = tool ? tool.type === 'custom' : custom === true
  const { name, namespace } = tool ?? { name: asked, namespace: within }
  const isWrapped = isCustom && form.functionsOnly && tool !== undefined && !custom
  const wrapped = isWrapped && ({ wrapped: true } as const)
  const { syntax, definition } = tool?.grammar ?? {}
  return {
    ...call,
    name,
    ...(namespace && { namespace }),
    ...(isCustom && { custom: true }),
    ...wrapped,
    ...(isCustom && form.unenforced && syntax === 'regex' && { check: { regex: definition!, ...wrapped } }),
  }
}
