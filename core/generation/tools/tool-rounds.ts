import pTimeout from 'p-timeout'
import type { ObservedCall } from '../../contracts/call-observer.ts'
import type { Endpoint } from '../../contracts/catalog.ts'
import type { FinishReason } from '../../contracts/events.ts'
import type { Item } from '../../contracts/items.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { RunContext } from '../../contracts/run-context.ts'
import type { SearchEvent, ToolCall, ToolEvent, ToolResult } from '../../contracts/tool.ts'
import { PluginError } from '../../foundation/errors.ts'
import type { Ids } from '../../foundation/ids.ts'
import { isObject, parseJson } from '../../foundation/json.ts'
import { describePluginError } from '../../foundation/logger.ts'
import type { Settings } from '../../framework/settings.ts'
import type { LiveAnswer } from '../../call/live-answer.ts'
import type { Operation } from '../../call/operation.ts'
import type { Answer } from '../answer.ts'
import { idOfNew } from '../item-ids.ts'
import type { ModelCall } from '../model-call.ts'
import { checkedResult, checkedStart } from './checked-result.ts'
import { HeldCalls, type HeldCall } from './held-calls.ts'
import type { OpenTool, OpenTools } from './open-tools.ts'
import { ShownCalls } from './shown-calls.ts'
import { readableOutput } from './tool-output.ts'

export interface ToolRoundsScope {
  readonly request: GenerationRequest
  /** The conversation as the client knows it. */
  readonly conversation: readonly Item[]
  readonly context: RunContext
  readonly operation: Operation
  readonly answer: Answer
  /** Counts the memory that outputs take. */
  readonly memory: LiveAnswer
  readonly ids: Ids
  /** Set if observers follow the call. */
  readonly observed: ObservedCall | undefined
  readonly limits: Pick<Settings, 'maxToolRounds' | 'maxToolCalls' | 'maxToolOutputCharacters'>
}

/** For the record: numbers only. */
interface Summary extends Record<string, number> {
  rounds: number
  calls: number
  failed: number
  notRun: number
}

/** Shows that a call begins. */
type Begin = (event: SearchEvent) => void

/** A call that is about to run, or the reason why it does not. */
type Planned = { readonly open: OpenTool; readonly call: ToolCall } | { readonly answer: string }

/** The most calls of one request that run at the same time. */
const maxAtOnce = 8

/** Runs the gateway's tools between the rounds of one generation. */
export class ToolRounds {
  readonly tools: OpenTools
  readonly #scope: ToolRoundsScope
  readonly #held: HeldCalls
  #rounds = 0
  #runs = 0
  #summary: Summary | undefined
  #isOpen = false
  /** Shown as soon as the answer begins. */
  #opening: readonly ToolEvent[] = []

  constructor(tools: OpenTools, scope: ToolRoundsScope) {
    this.tools = tools
    this.#scope = scope
    this.#held = new HeldCalls(tools)
    const { answer, conversation, memory } = scope
    answer.hold(this.#held)
    answer.cite(conversation, event => memory.count(event))
  }

  /** True if the conversation has grown since the request was made. */
  get hasRun(): boolean {
    return this.#rounds > 0 || this.#opening.length > 0
  }

  /** Call before the model is asked. Returns the items that calls of earlier turns have added to the conversation. */
  async begin(call: ModelCall): Promise<readonly Item[]> {
    const { context, request, ids } = this.#scope
    await this.tools.load(
      context,
      call.candidates.map(({ endpoint }) => endpoint),
    )
    const resumed = this.tools.resumed(request.input)
    const results = await this.#runAll(
      resumed.map(each => this.#planned(each)),
      call,
      undefined,
    )
    const shown = results.flatMap(result => result.shown ?? [])
    this.#opening = shown
    return shown.flatMap(event => (event.type === 'item' ? ({ ...event.item, id: idOfNew(event.item.type, ids) } as unknown as Item) : []))
  }

  /** Call when the answer of an endpoint has begun. */
  open(endpoint: Endpoint): void {
    if (!this.#isOpen) for (const event of this.tools.introduction(endpoint)) this.#show(event)
    this.#isOpen = true
    for (const event of this.#opening) this.#show(event)
    this.#opening = []
  }

  /** Runs the calls of the round that just ended. Returns true if the model must be asked again. */
  async run(finish: FinishReason | undefined, endpoint: Endpoint, call: ModelCall): Promise<boolean> {
    const { answer } = this.#scope
    const calls = this.#held.next()
    if (calls.length === 0) return false
    answer.endRound()
    // A call that a guardrail refuses does not run.
    const checking = answer.settled()
    if (checking) await checking
    const isCut = finish === 'length' || finish === 'content-filter'
    const wasClosed = this.tools.isClosed
    const planned = calls.map(each => (isCut ? { answer: 'The call was cut off and did not run.' } : this.#plan(each)))
    const shown = new ShownCalls({ begin: event => this.#begin(event), show: event => this.#show(event) })
    const results = await this.#runAll(planned, call, endpoint, shown)
    // Outputs come last: they are what the model answers to.
    for (const [index, { callId, name }] of calls.entries()) this.#keep(callId, name, planned[index]!, results[index]!)
    this.#rounds += 1
    this.#note().rounds = this.#rounds
    this.tools.ran()
    const isOver = isCut || wasClosed || this.#held.callsCaller || results.some(({ handsOver }) => handsOver)
    this.#held.roundOver()
    if (this.#rounds >= this.#scope.limits.maxToolRounds) this.tools.close()
    return !isOver
  }

  /** Decides in order, so that the limits do not depend on which call is the fastest. */
  #plan({ callId, name, input }: HeldCall): Planned {
    if (this.tools.isClosed) return { answer: notRun }
    const args = input.trim() === '' ? {} : parseJson(input)
    if (!isObject(args)) return { answer: 'The arguments are not a JSON object, so the call did not run.' }
    return this.#planned({ open: this.tools.find(name)!, call: { callId, name, arguments: args } })
  }

  #planned(planned: Extract<Planned, { open: OpenTool }>): Planned {
    const { request, limits } = this.#scope
    if (this.#runs >= Math.min(request.max_tool_calls ?? Infinity, limits.maxToolCalls)) {
      this.tools.close()
      return { answer: notRun }
    }
    this.#runs += 1
    return planned
  }

  /** Results are in the order of the calls. */
  async #runAll(
    planned: readonly Planned[],
    call: ModelCall,
    endpoint: Endpoint | undefined,
    shown?: ShownCalls,
  ): Promise<readonly ToolResult[]> {
    const results: ToolResult[] = []
    const ended = planned.some(each => 'open' in each) ? this.#scope.observed?.toolRound(countsOf(planned)) : undefined
    let next = 0
    const work = async (): Promise<void> => {
      while (next < planned.length) {
        const index = next++
        const result = await this.#result(planned[index]!, call, endpoint, shown && (event => shown.begin(index, event)))
        results[index] = result
        shown?.end(index, result.shown ?? [])
      }
    }
    try {
      await Promise.all(Array.from({ length: Math.min(maxAtOnce, planned.length) }, work))
    } catch (error) {
      // The others may still be running.
      shown?.stop()
      throw error
    } finally {
      ended?.(results.filter(result => result?.failed).length)
    }
    return results
  }

  async #result(planned: Planned, call: ModelCall, endpoint: Endpoint | undefined, begin?: Begin): Promise<ToolResult> {
    const note = this.#note()
    if ('answer' in planned) {
      note.notRun += 1
      return { output: planned.answer }
    }
    const { costUsd: most = 0 } = planned.open.loaded.tool
    if (!(await call.spend(most))) {
      this.tools.close()
      note.notRun += 1
      return { output: 'The credit of this API key does not cover the call, so it did not run. Answer with what you have.' }
    }
    note.calls += 1
    const { observed } = this.#scope
    const run = (): Promise<ToolResult> => this.#ran(planned, endpoint, begin)
    const result = await (observed ? observed.tool(planned.open.loaded.tool.type, run) : run())
    if (result.failed) note.failed += 1
    const costUsd = result.costUsd ?? 0
    if (result.counts || costUsd > 0) this.#scope.operation.bill.addTool(result.counts ?? {}, costUsd)
    call.giveBack(most - costUsd)
    return result
  }

  async #ran({ open, call }: Extract<Planned, { open: OpenTool }>, endpoint: Endpoint | undefined, begin?: Begin): Promise<ToolResult> {
    const { context } = this.#scope
    const { tool, plugin } = open.loaded
    const ended = new AbortController()
    const signal = AbortSignal.any([context.signal, ended.signal])
    const late = (): never => {
      throw new PluginError(plugin, `took longer than ${tool.timeoutMs} ms`)
    }
    try {
      context.signal.throwIfAborted()
      const started = begin && open.session.started?.(call)
      if (started) begin(checkedStart(started, plugin))
      const running = Promise.resolve(open.session.run(call, { signal, endpoint }))
      return checkedResult(await pTimeout(running, { milliseconds: tool.timeoutMs, fallback: late, signal: context.signal }), plugin)
    } catch (error) {
      if (context.signal.aborted) throw error
      const described = describePluginError(error, !context.caller.policy.logging.value, context.caller.policy.logging.value)
      context.log.warn('a tool failed', { tool: tool.type, plugin, request: context.id, ...described })
      return { output: 'The call failed. Answer without it, or try something else.', failed: true }
    } finally {
      ended.abort()
    }
  }

  /** Puts a result into the conversation, unless the items that the tool shows replace the call. */
  #keep(callId: string, name: string, planned: Planned, { output, shown = [], handsOver }: ToolResult): void {
    // A call that shows nothing stays: otherwise the model would not learn of it.
    if (this.tools.find(name)?.loaded.tool.conversation && shown.length > 0) return this.#scope.answer.replaceCall(callId)
    const text = 'answer' in planned || handsOver ? output : readableOutput(name, output, this.#scope.limits.maxToolOutputCharacters)
    this.#scope.memory.count({ type: 'refusal', text })
    this.#scope.answer.addOutput(callId, text)
  }

  #begin(event: SearchEvent): void {
    const { answer, memory } = this.#scope
    memory.count(event)
    answer.beginTool(event)
  }

  #show(event: ToolEvent): void {
    const { answer, memory } = this.#scope
    this.#held.isShowing = true
    memory.count(event)
    answer.showTool(event)
    this.#held.isShowing = false
  }

  #note(): Summary {
    if (this.#summary) return this.#summary
    this.#summary = { rounds: 0, calls: 0, failed: 0, notRun: 0 }
    this.#scope.context.note('tools', this.#summary)
    return this.#summary
  }
}

const notRun = 'The limit of tool calls is reached, so the call did not run. Answer with what you have.'

/** How often the calls that run use each tool. */
function countsOf(planned: readonly Planned[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const each of planned) {
    if (!('open' in each)) continue
    const { type } = each.open.loaded.tool
    counts[type] = (counts[type] ?? 0) + 1
  }
  return counts
}
