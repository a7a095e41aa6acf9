import type { RaisedCall } from '../raised-event.ts'
import { raiseEach, type Raise } from './draft.ts'
import type { ToolForm, ToolNames } from './tool-names.ts'

/** Restores the caller's tool names and types in calls. Calls of tools that were never offered pass unchanged. */
export function raiseCalls(names: ToolNames, form: ToolForm): Raise {
  return raiseEach(() => event => (event.type === 'tool-call' ? raised(event, names, form) : event))
}

function raised({ name: asked, namespace: within, custom, ...call }: RaisedCall, names: ToolNames, form: ToolForm): RaisedCall {
  const tool = names.find(asked, within)
  const isCustom = tool ? tool.type === 'custom' : custom === true
  const { name, namespace } = tool ?? { name: asked, namespace: within }
  return {
    ...call,
    name,
    ...(namespace && { namespace }),
    ...(isCustom && { custom: true }),
    ...(isCustom && form.functionsOnly && tool && !custom && { wrapped: true }),
  }
}
