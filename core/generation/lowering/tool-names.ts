import { createHash } from 'node:crypto'
import type { Capabilities } from '../../contracts/catalog.ts'
import { agentToolTypes, type AgentToolType } from '../../contracts/tools.ts'
import { hasAgentTool } from '../agent-tools/table.ts'
import { keyOf, type OwnTool } from './own-tools.ts'

/** Tool features that an endpoint lacks. */
export interface ToolForm {
  /** Custom tools must become functions. */
  readonly functionsOnly: boolean
  /** Tools in namespaces must become top-level tools, with names short enough for every vendor. */
  readonly flat: boolean
  /** Names must be of the characters that every vendor takes. */
  readonly plain: boolean
  /** Calls of custom tools must be checked against their grammars. */
  readonly unenforced: boolean
  /** The tools of coding agents that must become functions. */
  readonly lacking: ReadonlySet<string>
}

export function toolFormOf(capabilities: Capabilities, plain: boolean): ToolForm {
  const { customTools, namespaceTools, grammars = customTools === true } = capabilities
  return {
    functionsOnly: customTools !== true,
    flat: namespaceTools !== true,
    plain,
    unenforced: !grammars,
    lacking: lackingAt(capabilities),
  }
}

const allAgentTools: ReadonlySet<string> = new Set(agentToolTypes)
const none: ReadonlySet<string> = new Set()

function lackingAt(capabilities: Capabilities): ReadonlySet<string> {
  if (capabilities.agentTools) return new Set(agentToolTypes.filter(type => !hasAgentTool(capabilities, type)))
  return capabilities.builtInTools ? none : allAgentTools
}

/** True for a tool of coding agents. */
export function isAgentTool(tool: OwnTool): tool is OwnTool & { readonly type: AgentToolType } {
  return allAgentTools.has(tool.type)
}

/** Some dialects have names with more than letters, digits, "_" and "-". */
export function isPlain(name: string): boolean {
  return /^[\w-]*$/.test(name)
}

/** The strictest vendor limit. */
export const maxNameLength = 64

export function isChanged({ type, name, namespace, grammar }: OwnTool, form: ToolForm): boolean {
  const { functionsOnly, flat, plain } = form
  if ((plain && !isPlain(name)) || form.lacking.has(type) || (grammar && form.unenforced)) return true
  return (functionsOnly && type === 'custom') || (flat && (namespace !== undefined || name.length > maxNameLength))
}

/** The names under which an endpoint sees the caller's tools. They are unique, and the same tools always get the same names. */
export class ToolNames {
  readonly #form: ToolForm
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #offered = new Map<string, OwnTool>()

  constructor(offered: readonly OwnTool[], form: ToolForm) {
    this.#form = form
    // Unchanged tools keep their names; the others avoid them.
    for (const tool of offered) if (!isChanged(tool, form)) this.nameOf(tool)
    for (const tool of offered) this.#offered.set(this.#place(tool.namespace, this.nameOf(tool)), tool)
  }

  /** Includes tools that are no longer offered: earlier turns may still call them. */
  nameOf(tool: OwnTool): string {
    const key = keyOf(tool)
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const given = this.#form.flat ? flatName(tool) : tool.name
    const wanted = this.#form.plain ? given.replaceAll(/[^\w-]/g, '_') : given
    const tooLong = this.#form.flat && wanted.length > maxNameLength
    const name = tooLong || this.#taken.has(this.#place(tool.namespace, wanted)) ? distinct(wanted, key) : wanted
    this.#names.set(key, name)
    this.#taken.add(this.#place(tool.namespace, name))
    return name
  }

  /** The offered tool that has this name at the endpoint. */
  find(name: string, namespace: string | undefined): OwnTool | undefined {
    return this.#offered.get(this.#place(namespace, name))
  }

  #place(namespace: string | undefined, name: string): string {
    return this.#form.flat ? name : `${namespace ?? ''} ${name}`
  }
}

function flatName({ name, namespace }: OwnTool): string {
  if (namespace === undefined) return name
  return namespace.endsWith('__') ? namespace + name : `${namespace}__${name}`
}

function distinct(name: string, key: string): string {
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8)
  return `${name.slice(0, maxNameLength - 1 - hash.length)}_${hash}`
}
