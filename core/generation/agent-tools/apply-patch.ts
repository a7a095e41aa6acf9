import { isObject, membersOf } from '../../foundation/json.ts'
import { isText, present, type AgentTool } from './agent-tool.ts'

const operations: readonly unknown[] = ['create_file', 'update_file', 'delete_file']

const description = `Creates, changes or deletes one file of the workspace. To change several files, call it several times.

\`diff\` has no line numbers and no file names. For \`create_file\`, it holds all lines of the new file, each after a "+". For \`update_file\`, it holds one section per change. A section begins with a line "@@", or with "@@ " and a line that stands above the change, such as the head of a function. Then come the lines of the file in their order: those that stay after a space, those to remove after a "-", those to add after a "+". Show about three lines that stay before and after each change, exactly as they are in the file. \`delete_file\` needs no \`diff\`.`

/** One operation on one file: docs/protocol/tools.md#tools-of-coding-agents. */
export const applyPatch: AgentTool = {
  type: 'apply_patch',
  call: 'apply_patch_call',
  output: 'apply_patch_call_output',
  functionOf: () => ({
    description,
    parameters: {
      type: 'object',
      properties: {
        type: { type: 'string', enum: operations },
        path: { type: 'string', description: 'From the root of the workspace.' },
        diff: { type: 'string' },
      },
      required: ['type', 'path'],
      additionalProperties: false,
    },
  }),
  membersOf(args) {
    const { type, path, diff } = isObject(args['operation']) ? args['operation'] : args
    if (!operations.includes(type)) return { problem: `"type" must be one of ${operations.join(', ')}.` }
    if (!isText(path) || path === '') return { problem: '"path" must be the path of a file.' }
    if (type === 'delete_file') return { members: { operation: { type, path } } }
    if (!isText(diff)) return { problem: `"diff" must be a string, which ${String(type)} needs.` }
    return { members: { operation: { type, path, diff } } }
  },
  argumentsOf: ({ operation }) => present(membersOf(operation)),
  textOf({ status, output }) {
    const said = isText(output) ? output : ''
    if (status === 'failed') return said === '' ? 'Failed.' : `Failed.\n${said}`
    return said === '' ? 'Done.' : said
  },
}
