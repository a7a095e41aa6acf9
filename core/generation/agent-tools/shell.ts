import { membersOf } from '../../foundation/json.ts'
import { isText, limitIn, present, type AgentTool } from './agent-tool.ts'

const description =
  "Runs commands in a shell on the user's computer, one after the other, and returns what each of them wrote and how it ended."

/** Commands of a shell that the caller runs: docs/protocol/tools.md#tools-of-coding-agents. */
export const shell: AgentTool = {
  type: 'shell',
  call: 'shell_call',
  output: 'shell_call_output',
  functionOf: () => ({
    description,
    parameters: {
      type: 'object',
      properties: {
        commands: { type: 'array', items: { type: 'string' }, minItems: 1 },
        timeout_ms: { type: 'integer', description: 'The longest that the commands may take.' },
        max_output_length: { type: 'integer', description: 'The most characters of output to return.' },
      },
      required: ['commands'],
      additionalProperties: false,
    },
  }),
  membersOf(args) {
    const { commands } = args
    if (!Array.isArray(commands) || commands.length === 0 || !commands.every(isText))
      return { problem: '"commands" must be an array of strings with at least one.' }
    return { members: { action: { commands, ...limitIn(args, 'timeout_ms'), ...limitIn(args, 'max_output_length') } } }
  },
  argumentsOf: ({ action }) => present(membersOf(action)),
  textOf: ({ output }) => (isText(output) ? output : JSON.stringify(output ?? [])),
}
