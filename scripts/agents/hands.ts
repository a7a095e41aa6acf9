import type { Call } from '../clients/vendor/answer.ts'
import type { Question, Tool } from '../clients/vendor/question.ts'
import type { Mistake } from './progress.ts'

let calls = 0

/** The offered tools, by what they can do. Each method makes a call of one of them. */
export class Hands {
  readonly #tools: readonly Tool[]
  /** The folder of the project, if the client's tools want whole paths. */
  readonly #folder: string

  constructor({ tools }: Question, folder: string) {
    this.#tools = tools
    this.#folder = folder
  }

  get areTied(): boolean {
    return this.#shell === undefined
  }

  run(command: string): Call {
    const shell = this.#shell!
    const parameter = Object.keys(shell.schema.properties ?? {}).find(name => /^(cmd|command)$/.test(name)) ?? 'command'
    const isList = (shell.schema.properties?.[parameter] as { type?: string } | undefined)?.type === 'array'
    return callOf(shell, JSON.stringify({ [parameter]: isList ? ['bash', '-lc', command] : command }))
  }

  read(file: string): Call {
    const reader = this.#tool(/^Read$/)
    return reader ? callOf(reader, JSON.stringify({ file_path: `${this.#folder}/${file}` })) : this.run(`cat ${file}`)
  }

  edit(file: string, { from, to }: Mistake): Call {
    const editor = this.#tool(/^Edit$/)
    if (editor) return callOf(editor, JSON.stringify({ file_path: `${this.#folder}/${file}`, old_string: from, new_string: to }))
    const patcher = this.#tool(/^apply_patch$/)
    if (!patcher) return this.run(`sed -i 's|${from}|${to}|' ${file}`)
    const patch = `*** Begin Patch\n*** Update File: ${file}\n@@\n-${from}\n+${to}\n*** End Patch\n`
    const [parameter = 'input'] = Object.keys(patcher.schema.properties ?? {})
    return callOf(patcher, patcher.custom ? patch : JSON.stringify({ [parameter]: patch }))
  }

  get #shell(): Tool | undefined {
    return this.#tool(/^(exec_command|shell|shell_command|local_shell|Bash)$/)
  }

  #tool(name: RegExp): Tool | undefined {
    return this.#tools.find(tool => name.test(tool.name))
  }
}

function callOf({ name, custom }: Tool, input: string): Call {
  return { id: `call_demo_${++calls}`, name, arguments: input, ...(custom && { custom }) }
}
