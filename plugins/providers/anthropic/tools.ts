import { createHash } from 'node:crypto'
import type { CustomTool, FunctionTool, UpstreamRequestBody } from '../../../core/index.ts'
import type { ModelTraits } from './models.ts'
import { enforceableSchema } from './schema.ts'
import { forcesTool } from './settings.ts'
import type { Tool, ToolChoice } from './wire.ts'

/** A caller's tool, and the name under which the vendor knows it. */
export interface OfferedTool {
  readonly wireName: string
  readonly name: string
  readonly namespace?: string
  readonly custom: boolean
  readonly tool: FunctionTool | CustomTool
}

/** Function and custom tools, those of namespaces too; others the vendor cannot be offered. */
export function offeredTools(request: UpstreamRequestBody): readonly OfferedTool[] {
  const offered = new Map<string, OfferedTool>()
  const offer = (tool: FunctionTool | CustomTool, namespace?: string): void => {
    const wireName = wireToolName(tool.name, namespace)
    if (!offered.has(wireName))
      offered.set(wireName, {
        wireName,
        name: tool.name,
        ...(namespace !== undefined && { namespace }),
        custom: tool.type === 'custom',
        tool,
      })
  }
  for (const tool of request.tools ?? []) {
    if (tool.type === 'function' || tool.type === 'custom') offer(tool as FunctionTool | CustomTool)
    else if (tool.type === 'namespace')
      for (const member of tool.tools as readonly (FunctionTool | CustomTool)[]) offer(member, tool.name as string)
  }
  return Array.from(offered.values())
}

/** Namespaces do not exist on the wire: `namespace__name`, kept within the vendor's 128 characters. */
export function wireToolName(name: string, namespace: string | undefined): string {
  const joined = namespace === undefined ? name : `${namespace}__${name}`
  if (joined.length <= 128) return joined
  return `${joined.slice(0, 119)}_${createHash('sha256').update(joined).digest('hex').slice(0, 8)}`
}

export function toolsFor(
  request: UpstreamRequestBody,
  traits: ModelTraits,
): { readonly tools?: readonly Tool[]; readonly tool_choice?: ToolChoice } {
  const allowed = allowedNames(request.tool_choice)
  const offered = offeredTools(request).filter(({ name }) => allowed?.has(name) ?? true)
  if (offered.length === 0) return {}
  const choice = choiceFor(request, offered, traits)
  const strict = traits.structuredOutput && offered.filter(isStrict).length <= mostStrictTools
  return { tools: offered.map(each => wireTool(each, strict)), ...(choice && { tool_choice: choice }) }
}

/** More in one request are refused ("Structured outputs", schema complexity limits). */
const mostStrictTools = 20

function isStrict({ tool }: OfferedTool): boolean {
  return tool.type === 'function' && tool.strict === true
}

function wireTool(offered: OfferedTool, strict: boolean): Tool {
  const { wireName, tool } = offered
  if (tool.type === 'custom') return { name: wireName, description: customDescription(tool), input_schema: freeText }
  const schema = { type: 'object', ...tool.parameters }
  const enforceable = strict && isStrict(offered) ? enforceableSchema(schema) : undefined
  return {
    name: wireName,
    ...(tool.description !== undefined && { description: tool.description }),
    input_schema: enforceable ?? schema,
    ...(enforceable && { strict: true }),
  }
}

/** A custom tool takes free text; this is the function that it becomes. */
const freeText = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'], additionalProperties: false } as const

function customDescription({ description, format }: CustomTool): string {
  const { type, syntax, definition } = (format ?? {}) as { type?: unknown; syntax?: unknown; definition?: unknown }
  const grammar = type === 'grammar' ? `\`input\` must match this grammar (${String(syntax)}):\n${String(definition)}` : undefined
  return [description, grammar ?? '`input` is free text.'].filter(Boolean).join('\n\n')
}

function allowedNames(choice: UpstreamRequestBody['tool_choice']): ReadonlySet<string> | undefined {
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return undefined
  return new Set(choice.tools?.flatMap(({ name }) => name ?? []))
}

function choiceFor(
  { tool_choice: choice, parallel_tool_calls: parallel }: UpstreamRequestBody,
  offered: readonly OfferedTool[],
  traits: ModelTraits,
): ToolChoice | undefined {
  const oneByOne = parallel === false ? ({ disable_parallel_tool_use: true } as const) : {}
  if (choice === 'none' || (typeof choice === 'object' && choice.type === 'allowed_tools' && choice.mode === 'none'))
    return { type: 'none' }
  if (forcesTool(choice) && traits.forcedTools) {
    const named = typeof choice === 'object' && choice.type !== 'allowed_tools' ? choice.name : undefined
    if (named === undefined) return { type: 'any', ...oneByOne }
    return { type: 'tool', name: offered.find(({ name }) => name === named)?.wireName ?? named, ...oneByOne }
  }
  return choice === undefined && parallel !== false ? undefined : { type: 'auto', ...oneByOne }
}
