import { isObject, membersOf } from '../../foundation/json.ts'
import { isText, type AgentTool } from './agent-tool.ts'

const description = 'Searches for tools that are not listed yet. Those that it finds can be called afterwards.'
const query = {
  type: 'object',
  properties: { query: { type: 'string', description: 'Words that describe the tool.' } },
  required: ['query'],
  additionalProperties: false,
} as const

/** A search for tools that the caller runs: docs/protocol/tools.md#tool-search. */
export const toolSearch: AgentTool = {
  type: 'tool_search',
  call: 'tool_search_call',
  output: 'tool_search_output',
  functionOf(entry) {
    const { execution, description: given, parameters } = membersOf(entry)
    if (execution !== 'client') return undefined
    return { description: isText(given) && given !== '' ? given : description, parameters: isObject(parameters) ? parameters : query }
  },
  membersOf: args => ({ members: { execution: 'client', arguments: args } }),
  argumentsOf: ({ arguments: args }) => (isText(args) ? args : membersOf(args)),
}
