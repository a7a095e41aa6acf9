import { Tools, type GenerationEvent, type ProviderCall, type Tool, type ToolCall, type ToolResult } from '../../core/index.ts'
import type { ToolRun } from '../../core/kit.ts'
import type { PluginUse } from '../../core/framework/plugin.ts'
import { adding } from './stage.ts'

/** The events of one call of a function. */
export function calling(name: string, args: unknown, key = 'k1'): readonly GenerationEvent[] {
  return [
    { type: 'tool-call', key, callId: `call_${key}`, name },
    { type: 'tool-input', key, text: typeof args === 'string' ? args : JSON.stringify(args) },
  ]
}

export const toCall: GenerationEvent = { type: 'finish', reason: 'tool-calls' }

export interface FakeTool {
  readonly plugin: PluginUse
  /** The calls that ran. */
  readonly ran: ToolCall[]
}

/** A tool `lookup` with one function of the same name. */
export function lookup(
  run: (call: ToolCall, run: ToolRun) => ToolResult | Promise<ToolResult> = ({ arguments: { word } }) => ({
    output: `about ${String(word)}`,
  }),
  more: Partial<Tool> = {},
): FakeTool {
  const ran: ToolCall[] = []
  const plugin = adding<Tool>(Tools, {
    type: 'lookup',
    schema: { type: 'object', properties: { book: { type: 'string' } } },
    seesContent: 'local',
    timeoutMs: 60_000,
    open: () => ({
      functions: () => [
        { name: 'lookup', description: 'Looks up a word.', parameters: { type: 'object', properties: { word: { type: 'string' } } } },
      ],
      async run(call, context) {
        ran.push(call)
        return await run(call, context)
      },
    }),
    ...more,
  })
  return { plugin, ran }
}

/** The outputs of calls that a provider was sent. */
export function outputsIn({ request }: ProviderCall): readonly string[] {
  return request.input.flatMap(item => (item.type === 'function_call_output' ? [String(item.output)] : []))
}

export function typesIn({ request }: ProviderCall): readonly string[] {
  return request.input.map(({ type }) => type)
}
