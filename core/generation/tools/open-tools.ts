import pTimeout from 'p-timeout'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { Item } from '../../contracts/items.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { Warning } from '../../contracts/route.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { ToolCall, ToolEntry, ToolEvent, ToolFunction, ToolSession } from '../../contracts/tool.ts'
import { invalidRequest, PluginError } from '../../foundation/errors.ts'
import { own, wording } from '../../foundation/wording.ts'
import { isPending } from '../../runtime/pending.ts'
import { ownTools } from '../lowering/own-tools.ts'
import { checkedFunctions, unavailable } from './checked-tool.ts'
import type { LoadedTool } from './loaded-tools.ts'
import { offerTools, type Offered, type ToolOffer } from './tool-offer.ts'

/** One entry of a request's `tools` that the gateway runs. */
export interface OpenTool {
  readonly path: string
  readonly entry: ToolEntry
  readonly loaded: LoadedTool
  readonly session: ToolSession
}

/** The tools of one request that the gateway runs. */
export class OpenTools {
  readonly #open: readonly OpenTool[]
  readonly #request: GenerationRequest
  readonly #functions = new Map<OpenTool, readonly ToolFunction[]>()
  readonly #byName = new Map<string, OpenTool>()
  #hasRun = false
  #isClosed = false
  /** The conversation as models read it, without what this request added to it. */
  readonly #readable: readonly Item[]

  constructor(open: readonly OpenTool[], request: GenerationRequest, readable: readonly Item[]) {
    this.#open = open
    this.#request = request
    this.#readable = readable
  }

  /** True if models may no longer call the tools. */
  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Makes later requests to models leave out the tools. */
  close(): void {
    this.#isClosed = true
  }

  /** The gateway ran a call, so it runs all later ones, no matter which endpoint answers. */
  ran(): void {
    this.#hasRun = true
  }

  /** The endpoints that can serve the request: those that can call functions, or run the tools themselves. Throws if that is none of them. */
  servable(endpoints: readonly Endpoint[]): readonly Endpoint[] {
    let left = endpoints
    for (const open of this.#open) {
      const { session, path, entry } = open
      const before = left
      const willing = before.filter(endpoint => this.#runner(open, endpoint) !== 'nobody')
      left = willing.filter(endpoint => endpoint.capabilities.tools !== false || this.#runner(open, endpoint) !== 'gateway')
      if (left.length > 0) continue
      if (willing.length === 0 && session.refusal) throw session.refusal(before)
      const models = [...new Set(before.map(({ provider, model }) => `${provider}/${model}`))].slice(0, maxNamed).join(', ')
      throw invalidRequest(wording`The tool "${own(entry.type)}" needs a model that can call functions, and ${models} cannot.`, path)
    }
    return left
  }

  /** Asks the tools for their functions. Call it before `offerTo`. `endpoints`: the candidates. */
  async load(context: RunContext, endpoints: readonly Endpoint[]): Promise<void> {
    const needed = this.#open.filter(open => endpoints.some(endpoint => this.#runner(open, endpoint) !== 'endpoint'))
    const offered = await Promise.all(needed.map(open => this.#functionsOf(open, context)))
    for (const [index, open] of needed.entries()) {
      const functions = offered[index]!
      this.#functions.set(open, functions)
      for (const { name } of functions) {
        if (this.#byName.has(name) || ownTools(this.#request.tools).some(own => own.name === name && own.namespace === undefined))
          throw invalidRequest(
            wording`More than one tool offers the function "${name}". Leave one of them out, or rename yours.`,
            open.path,
          )
        this.#byName.set(name, open)
      }
    }
  }

  /** The items to show before the answer of an endpoint. */
  introduction(endpoint: Endpoint): readonly ToolEvent[] {
    return this.#loaded.flatMap(open => (this.#runner(open, endpoint) === 'endpoint' ? [] : (open.session.introduction?.() ?? [])))
  }

  /** Calls of earlier turns that may run now. */
  resumed(input: readonly Item[]): readonly { readonly open: OpenTool; readonly call: ToolCall }[] {
    return this.#loaded.flatMap(open => (open.session.resumed?.(input) ?? []).map(call => ({ open, call })))
  }

  /** The tool with this function. */
  find(name: string): OpenTool | undefined {
    return this.#byName.get(name)
  }

  /** The request as this endpoint should get it. */
  offerTo(endpoint: Endpoint, request: GenerationRequest): Offered {
    const offers = new Map<object, ToolOffer>()
    const taken = new Set<OpenTool>()
    const warnings: Warning[] = []
    for (const entry of request.tools ?? []) {
      // Guardrails may have replaced the entry, or left one out.
      const open = this.#open.find(each => each.entry.type === entry.type && !taken.has(each))
      if (!open) continue
      taken.add(open)
      const runner = this.#runner(open, endpoint)
      if (runner === 'endpoint') offers.set(entry, 'endpoint')
      else offers.set(entry, runner === 'gateway' ? (this.#functions.get(open) ?? []) : [])
      if (runner === 'left-out') warnings.push({ param: 'tools', message: `${entry.type} is not available on this model and was left out` })
    }
    return offerTools(this.#conversing(request, endpoint), endpoint, { offers, hasRun: this.#hasRun, isClosed: this.#isClosed, warnings })
  }

  get #loaded(): readonly OpenTool[] {
    return this.#open.filter(open => this.#functions.has(open))
  }

  /** An endpoint that runs a tool knows the items of its calls. */
  #conversing(request: GenerationRequest, endpoint: Endpoint): GenerationRequest {
    const { input } = this.#request
    if (request.input !== this.#readable || this.#readable === input) return request
    const isNative = this.#open.every(open => !open.loaded.tool.conversation || this.#runner(open, endpoint) === 'endpoint')
    return isNative ? { ...request, input } : request
  }

  #runner(open: OpenTool, endpoint: Endpoint): 'gateway' | 'endpoint' | 'left-out' | 'nobody' {
    const runner = open.session.runner?.(endpoint, this.#request) ?? 'gateway'
    return this.#hasRun && runner === 'endpoint' && this.#functions.has(open) ? 'gateway' : runner
  }

  async #functionsOf({ session, loaded }: OpenTool, context: RunContext): Promise<readonly ToolFunction[]> {
    const { tool, plugin } = loaded
    try {
      const asked = session.functions(context.signal)
      if (!isPending(asked)) return checkedFunctions(asked, loaded)
      const late = (): never => {
        throw new PluginError(plugin, `took longer than ${tool.timeoutMs} ms to list its functions`)
      }
      return checkedFunctions(
        await pTimeout(Promise.resolve(asked), { milliseconds: tool.timeoutMs, fallback: late, signal: context.signal }),
        loaded,
      )
    } catch (error) {
      throw context.signal.aborted ? error : unavailable(error, loaded, context)
    }
  }
}

const maxNamed = 3
