import type { RunContext } from '../../contracts/run-context.ts'
import type { ToolFunction, ToolSession } from '../../contracts/tool.ts'
import { GatewayError, PluginError } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import { isObject } from '../../foundation/json.ts'
import { describePluginError } from '../../foundation/logger.ts'
import { method, shapeProblem, text, type Member, type Shape } from '../../framework/shape.ts'
import type { LoadedTool } from './loaded-tools.ts'

const session: Shape = { functions: method, run: method }
const words: Member = { expected: 'a string', accepts: value => typeof value === 'string' }
const offered: Shape = { name: text, description: words, parameters: { expected: 'a JSON Schema', accepts: isObject } }

/** Checks the session that a tool's `open` returned. */
export function checkedSession(value: ToolSession, { tool, plugin }: LoadedTool): ToolSession {
  const problem = shapeProblem(value, session)
  if (problem) throw new PluginError(plugin, `opens tool "${tool.type}"${problem}`)
  return value
}

/** Checks the functions that a tool's `functions` returned. */
export function checkedFunctions(value: readonly ToolFunction[], { tool, plugin }: LoadedTool): readonly ToolFunction[] {
  if (!Array.isArray(value)) throw new PluginError(plugin, `offers functions of tool "${tool.type}": expected an array`)
  for (const each of value as readonly unknown[]) {
    const problem = shapeProblem(each, offered)
    if (problem) throw new PluginError(plugin, `offers a function of tool "${tool.type}"${problem}`)
  }
  return value as readonly ToolFunction[]
}

/** The error for the caller, if the tool did not throw one itself. The log names the plugin. */
export function unavailable(error: unknown, { tool, plugin }: LoadedTool, context: RunContext): GatewayError {
  if (error instanceof GatewayError) return error
  const described = describePluginError(error, !context.caller.policy.logging.value, context.caller.policy.logging.value)
  context.log.error('a tool could not be offered', { tool: tool.type, plugin, request: context.id, ...described })
  return new GatewayError({
    status: 502,
    type: 'server_error',
    code: 'server_error',
    message: wording`The tool "${own(tool.type)}" is not available at the moment. Try again, or leave it out.`,
    cause: error,
  })
}
