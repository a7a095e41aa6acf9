import type { LanguageModelV4CallOptions, LanguageModelV4FunctionTool, LanguageModelV4ToolChoice } from '@ai-sdk/provider'
import type { ToolChoice, UpstreamRequestBody } from '../../../core/kit.ts'

/** Offers only functions. */
export function toolsFor({ tools, tool_choice }: UpstreamRequestBody): Pick<LanguageModelV4CallOptions, 'tools' | 'toolChoice'> {
  const functions = (tools ?? []).flatMap((tool): LanguageModelV4FunctionTool[] =>
    tool.type === 'function'
      ? [
          {
            type: 'function',
            name: tool.name,
            ...(tool.description !== undefined && { description: tool.description }),
            inputSchema: { type: 'object', properties: {}, ...tool.parameters },
            ...(tool.strict !== undefined && { strict: tool.strict }),
          },
        ]
      : [],
  )
  if (functions.length === 0) return {}
  const choice = choiceFor(tool_choice)
  return { tools: functions, ...(choice && { toolChoice: choice }) }
}

function choiceFor(choice: ToolChoice | undefined): LanguageModelV4ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'string') return { type: choice }
  return choice.type === 'function' && choice.name !== undefined ? { type: 'tool', toolName: choice.name } : undefined
}
