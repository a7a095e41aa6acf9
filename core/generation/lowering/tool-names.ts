import { createHash } from 'node:crypto'
import type { Capabilities } from '../../contracts/catalog.ts'
import { keyOf, type OwnTool } from './own-tools.ts'

/** What an endpoint does not know of tools. */
export interface ToolForm {
  /** Custom tools are functions. */
  readonly functionsOnly: boolean
  /** Tools of a namespace are tools like all others, and names have the length that every vendor takes. */
  readonly flat: boolean
}

export function toolFormOf({ customTools, namespaceTools }: Capabilities): ToolForm {
  return { functionsOnly: customTools !== true, flat: namespaceTools !== true }
}

/** The strictest of the vendors' limits. */
export const longestName = 64

export function isChanged({ type, name, namespace }: OwnTool, { functionsOnly, flat }: ToolForm): boolean {
  return (functionsOnly && type === 'custom') || (flat && (namespace !== undefined || name.length > longestName))
}

/** The names by which an endpoint knows the caller's tools: no two are equal, and the same tools always get the same ones. */
export class ToolNames {
  readonly #form: ToolForm
  readonly #names = new Map<string, string>()
  readonly #taken = new Set<string>()
  readonly #offered = new Map<string, OwnTool>()

  constructor(offered: readonly OwnTool[], form: ToolForm) {
    this.#form = form
    // Tools that stay as they are keep their names; others make way.
    for (const tool of offered) if (!isChanged(tool, form)) this.nameOf(tool)
    for (const tool of offered) this.#offered.set(this.#place(tool.namespace, this.nameOf(tool)), tool)
  }

  /** Of any tool: a conversation may hold calls of tools that are not offered any more. */
  nameOf(tool: OwnTool): string {
    const key = keyOf(tool)
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const wanted = this.#form.flat ? flatName(tool) : tool.name
    const tooLong = this.#form.flat && wanted.length > longestName
    const name = tooLong || this.#taken.has(this.#place(tool.namespace, wanted)) ? distinct(wanted, key) : wanted
    this.#names.set(key, name)
    this.#taken.add(this.#place(tool.namespace, name))
    return name
  }

  /** The offered tool that the endpoint knows by this name. */
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
  return `${name.slice(0, longestName - 1 - hash.length)}_${hash}`
}
