import type { Emit } from '../../contracts/adapter.ts'
import { isSemantic, type GenerationEvent } from '../../contracts/events.ts'
import type { ToolChoice } from '../../contracts/request.ts'
import { invalidRequest } from '../../errors.ts'
import type { Draft, Raise } from './draft.ts'
import { isNamespace, isOwn, keyOf, toolsMeant, type OwnTool } from './own-tools.ts'
import { raiseEach } from './raise-each.ts'

/** The caller's tools that a model may call, by key; undefined where the choice excludes none of them. */
export function allowedKeys(choice: ToolChoice | undefined, own: readonly OwnTool[]): ReadonlySet<string> | undefined {
  if (choice === 'none') return new Set()
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') return undefined
  if (choice.mode === 'none') return new Set()
  return new Set(choice.tools?.flatMap(wanted => toolsMeant(wanted, own)).map(keyOf))
}

/** An endpoint without lists of allowed tools is offered no others (spec.md, "Web search tool", rule 5, too). */
export function offerAllowedOnly({ request, endpoint }: Draft, allowed: ReadonlySet<string>): void {
  const { tools = [], tool_choice: choice } = request
  if (typeof choice !== 'object' || endpoint.capabilities.allowedTools) return
  const mode = choice.mode ?? 'auto'
  request.tool_choice = mode
  if (mode === 'none') return
  request.tools = tools.flatMap(tool => {
    if (isOwn(tool)) return allowed.has(keyOf(tool)) ? tool : []
    if (!isNamespace(tool)) return choice.tools?.some(({ type }) => type === tool.type) ? tool : []
    const inner = tool.tools.filter(({ type, name }) => allowed.has(keyOf({ type, name, namespace: tool.name })))
    return inner.length > 0 ? { ...tool, tools: inner } : []
  })
  if (mode === 'required' && request.tools.length === 0)
    throw invalidRequest(
      `tool_choice requires one of ${choice.tools?.map(({ type, name }) => name ?? type).join(', ')}, which this model cannot run here.`,
      'tool_choice',
    )
}

/** contract/responses.md §5: the list is a hard constraint, whatever the model makes of it. A call to another tool never happened. */
export function suppressOtherCalls(own: readonly OwnTool[], allowed: ReadonlySet<string>): Raise {
  return raiseEach(() => {
    const calls = new AllowedCalls(own, allowed)
    return (event, emit) => calls.take(event, emit)
  })
}

class AllowedCalls {
  readonly #own: readonly OwnTool[]
  readonly #allowed: ReadonlySet<string>
  readonly #suppressed = new Set<string>()
  #passed = 0
  #hasBegun = false
  /** A call may go on: an item's end would be taken for its own. */
  #inCall = false

  constructor(own: readonly OwnTool[], allowed: ReadonlySet<string>) {
    this.#own = own
    this.#allowed = allowed
  }

  take(event: GenerationEvent, emit: Emit): void {
    if (event.type === 'tool-call' && !this.#isAllowed(event)) return this.#suppress(event.key, event.name, emit)
    if (event.type === 'tool-input' && this.#suppressed.has(event.key)) return
    if (event.type === 'tool-call') {
      this.#passed += 1
      this.#inCall = true
    }
    if (event.type === 'item-end') this.#inCall = false
    this.#hasBegun ||= isSemantic(event)
    const isOver = event.type === 'finish' && event.reason === 'tool-calls' && this.#passed === 0
    emit(isOver ? { type: 'finish', reason: 'stop' } : event)
  }

  #isAllowed({ name, namespace, custom }: Extract<GenerationEvent, { type: 'tool-call' }>): boolean {
    return toolsMeant({ type: custom ? 'custom' : 'function', name, namespace }, this.#own).some(tool => this.#allowed.has(keyOf(tool)))
  }

  #suppress(key: string, name: string, emit: Emit): void {
    this.#suppressed.add(key)
    if (!this.#hasBegun)
      emit({ type: 'warning', param: 'tool_choice', message: `a call of ${name} was suppressed, which tool_choice does not allow` })
    // Text before and after it is not one text.
    else if (!this.#inCall) emit({ type: 'item-end' })
  }
}
