import { isObject, membersOf } from '../../foundation/json.ts'
import { isText, limitIn, present, type AgentTool } from './agent-tool.ts'

const description = "Runs one program on the user's computer, with its arguments, and returns what it wrote. For a shell, name it first."

/** One program that the caller runs: docs/protocol/tools.md#tools-of-coding-agents. */
export const localShell: AgentTool = {
  type: 'local_shell',
  call: 'local_shell_call',
  output: 'local_shell_call_output',
  functionOf: () => ({
    description,
    parameters: {
      type: 'object',
      properties: {
        command: { type: 'array', items: { type: 'string' }, minItems: 1, description: 'The program and its arguments.' },
        working_directory: { type: 'string' },
        env: { type: 'object', additionalProperties: { type: 'string' }, description: 'More variables of the environment.' },
        timeout_ms: { type: 'integer', description: 'The longest that the program may take.' },
        user: { type: 'string', description: 'Who runs the program.' },
      },
      required: ['command'],
      additionalProperties: false,
    },
  }),
  membersOf(args) {
    const { command, env, working_directory: directory, user } = args
    if (!Array.isArray(command) || command.length === 0 || !command.every(isText))
      return { problem: '"command" must be an array of strings with at least one.' }
    const isSet = env !== undefined && env !== null
    if (isSet && !(isObject(env) && Object.values(env).every(isText))) return { problem: '"env" must be an object of strings.' }
    return {
      members: {
        action: {
          type: 'exec',
          command,
          env: isSet ? env : {},
          ...(isText(directory) && { working_directory: directory }),
          ...limitIn(args, 'timeout_ms'),
          ...(isText(user) && { user }),
        },
      },
    }
  },
  argumentsOf({ action }) {
    const { type: _, env, ...others } = present(membersOf(action))
    return isObject(env) && Object.keys(env).length > 0 ? { ...others, env } : others
  },
  textOf: ({ output }) => (isText(output) ? output : JSON.stringify(output ?? '')),
}
