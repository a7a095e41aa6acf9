import type { CallKind, CallToWrap, CallWrapper } from '../contracts/call-wrapper.ts'
import type { Policy } from '../contracts/policy.ts'
import type { RunContext } from '../contracts/run-context.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { blindedBy, coversKind, maySee, type Sight } from '../contracts/sight.ts'
import { PluginError } from '../foundation/errors.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { isObject } from '../foundation/json.ts'
import { kindOf } from '../foundation/kind-of.ts'
import type { Registry } from '../framework/registry.ts'
import { isPending, type Maybe } from '../runtime/pending.ts'
import { inTime, wrapperFailed, type LoadedWrapper } from './loaded-wrapper.ts'
import { Onlookers, type OpenWrap } from './onlookers.ts'

/** The facts that a kind of call gives wrappers, and the results that it takes from them. */
export interface Wrappable<Plan, Given> {
  readonly context: RunContext
  readonly kind: CallKind
  toWrap(plan: Plan): CallToWrap<CallKind, unknown>
  /** Takes the answer of a wrapper. Throws if nothing of it can be used. `stopping`: to abort when no more of it is wanted. */
  take(answer: unknown, by: LoadedWrapper, plan: Plan, stopping: AbortController): Maybe<Given>
}

/** The work of wrappers in one call. */
export interface Wrapping<Given> {
  /** An answer in the place of a model's. */
  readonly given: Given | undefined
  /** Those that look at the answer. */
  readonly onlookers: Onlookers | undefined
}

/** The wrappers of a gateway that has some. */
export class Wrappers {
  readonly #ofKind: Readonly<Record<CallKind, readonly LoadedWrapper[]>>

  /** The wrappers of a gateway, if a plugin adds any. */
  static of(registry: Registry<CallWrapper>): Wrappers | undefined {
    const loaded = registry.values().map(wrapper => ({ wrapper, plugin: registry.pluginOf(wrapper.name)! }))
    return loaded.length > 0 ? new Wrappers(loaded) : undefined
  }

  private constructor(loaded: readonly LoadedWrapper[]) {
    const having = (kind: CallKind): readonly LoadedWrapper[] => loaded.filter(({ wrapper }) => wrapper[kind])
    this.#ofKind = {
      generation: having('generation'),
      decision: having('decision'),
      count: having('count'),
      embedding: having('embedding'),
      rerank: having('rerank'),
    }
  }

  /** Opens those that may see the call, until one answers. Undefined if none has to do with it. */
  async open<Plan, Given>(call: Wrappable<Plan, Given>, plan: Plan): Promise<Wrapping<Given> | undefined> {
    const { context, kind } = call
    const { policy } = context.caller
    const sighted = this.#ofKind[kind].filter(({ wrapper }) => isSighted(wrapper, policy))
    if (sighted.length === 0) return undefined
    const toWrap = freezeDeeply(call.toWrap(plan))
    const willing = sighted.filter(({ wrapper: { seesContent } }) => mayOpen(seesContent, kind, policy, toWrap.request))
    const looking: OpenWrap[] = []
    for (const by of willing) {
      const stopping = new AbortController()
      const open = await opened(by, toWrap, context, stopping)
      if (open?.answer === undefined) {
        if (open) looking.push({ by, wrap: open.wrap })
        continue
      }
      const given = await taken(call, open.answer, by, plan, stopping)
      if (given === undefined) continue
      const { name } = by.wrapper
      context.note('answered-by', { name })
      return { given, onlookers: Onlookers.of(looking, context, name) }
    }
    return looking.length > 0 ? { given: undefined, onlookers: Onlookers.of(looking, context, undefined) } : undefined
  }
}

function mayOpen(sight: Sight, kind: CallKind, policy: Policy, request: unknown): boolean {
  if (kind === 'decision') return true
  if (kind === 'embedding' || kind === 'rerank') return coversKind(sight, policy, kind)
  return maySee(sight, policy, request as GenerationRequest)
}

/** `logging` decides about what stays after a request. */
function isSighted({ seesContent, keepsContent }: CallWrapper, policy: Policy): boolean {
  return !blindedBy(seesContent, policy) && (!keepsContent || policy.logging.value)
}

interface Opened {
  readonly wrap: OpenWrap['wrap']
  /** Read once: it may be a getter of the plugin. */
  readonly answer: unknown
}

/** Opens a wrapper. Undefined if it leaves the call alone, or fails. Throws once the call is aborted. */
async function opened(
  by: LoadedWrapper,
  toWrap: CallToWrap<CallKind, unknown>,
  context: RunContext,
  stopping: AbortController,
): Promise<Opened | undefined> {
  const { wrapper, plugin } = by
  try {
    const opening: Maybe<unknown> = wrapper[toWrap.kind]!(toWrap as never, context, stopping.signal)
    const wrap = checkedWrap(isPending(opening) ? await inTime(Promise.resolve(opening), by, context) : opening, plugin)
    return wrap && { wrap, answer: wrap.answer }
  } catch (error) {
    stopping.abort(error)
    if (context.signal.aborted) throw context.signal.reason
    wrapperFailed(by, context, error)
    return undefined
  }
}

async function taken<Plan, Given>(
  call: Wrappable<Plan, Given>,
  answer: unknown,
  by: LoadedWrapper,
  plan: Plan,
  stopping: AbortController,
): Promise<Given | undefined> {
  const { context } = call
  try {
    return await call.take(answer, by, plan, stopping)
  } catch (error) {
    stopping.abort(error)
    if (context.signal.aborted) throw context.signal.reason
    wrapperFailed(by, context, error)
    return undefined
  }
}

function checkedWrap(wrap: unknown, plugin: string): OpenWrap['wrap'] | undefined {
  if (wrap === undefined) return undefined
  if (!isObject(wrap)) throw new PluginError(plugin, `opened a call wrapper with ${kindOf(wrap)}: expected an object, or undefined`)
  for (const name of ['write', 'end', 'fail'] as const)
    if (wrap[name] !== undefined && typeof wrap[name] !== 'function')
      throw new PluginError(plugin, `opened a call wrapper with a bad \`${name}\`: expected a function, got ${kindOf(wrap[name])}`)
  return wrap
}
