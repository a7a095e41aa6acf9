import type {
  AnswerItem,
  Guardrail,
  GuardSession,
  GuardVerdict,
  ItemVerdict,
  OutputChannel,
  OutputFilter,
} from '../../../../core/contracts/guardrail.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import { isPending } from '../../../../core/runtime/pending.ts'
import { shadow } from '../shadow.ts'
import type { Step } from '../step.ts'
import { watchedFilter } from './output-filter.ts'
import { begin, endpointName, follow, followNow, type Watched, type Watching } from './watching.ts'

export function watchedGuardrail(guardrail: Guardrail, { inspector, plugin }: Watching): Guardrail {
  return shadow(guardrail, {
    open(context) {
      const of = { plugin, kind: 'guardrail', name: guardrail.name }
      const watched: Watched = { inspector, inspection: inspector.of(context), of }
      const opening = begin(watched, 'open')
      return followNow<GuardSession | undefined>(
        watched,
        opening,
        () => guardrail.open(context),
        session => {
          if (session === undefined) return opening.end('left')
          return isObject(session) && !isPending(session) ? watchedSession(session, watched) : undefined
        },
      )
    },
  })
}

function watchedSession(session: GuardSession, watched: Watched): GuardSession {
  let choosing: Step | undefined
  const own: { -readonly [N in keyof GuardSession]: GuardSession[N] } = {}
  for (const hook of ['input', 'decision'] as const)
    if (typeof session[hook] === 'function')
      own[hook] = (request: never, signal) => {
        const step = begin(watched, hook)
        step.show('request', request)
        const run = () => session[hook]!(request, signal) as GuardVerdict<never>
        return follow(watched, step, run, verdict => judged(step, request, verdict))
      }
  if (typeof session.route === 'function')
    own.route = (endpoint, request) => {
      const step = (choosing ??= begin(watched, 'route'))
      const startMs = performance.now()
      try {
        const isClear = session.route!(endpoint, request)
        step.fact(endpointName(endpoint), isClear === true ? 'cleared' : 'rejected')
        return isClear
      } catch (error) {
        step.fail(error)
        throw error
      } finally {
        step.spent(performance.now() - startMs)
        step.end()
      }
    }
  if (typeof session.refusal === 'function')
    own.refusal = (others, refused) => {
      const step = begin(watched, 'refusal')
      return followNow(
        watched,
        step,
        () => session.refusal!(others, refused),
        error => step.fail(error),
      )
    }
  if (typeof session.output === 'function')
    own.output = (channel: OutputChannel) => {
      const step = begin(watched, 'output')
      step.fact('channel', channel.kind)
      const open = () => session.output!(channel)
      // Its step ends with the part, not here.
      try {
        const filter = watched.inspector.within({ inspection: watched.inspection, step }, open)
        if (isFilter(filter)) return watchedFilter(filter, step)
        step.end('left')
        return filter
      } catch (error) {
        step.fail(error)
        throw error
      }
    }
  if (typeof session.item === 'function')
    own.item = (item: AnswerItem, signal) => {
      const step = begin(watched, 'item')
      step.fact('item', item.kind)
      step.show('item', item)
      const run = () => session.item!(item, signal)
      return follow<ItemVerdict>(watched, step, run, verdict =>
        judged(
          step,
          item.texts.map(({ text }) => text),
          verdict,
        ),
      )
    }
  return shadow(session, own)
}

/** Anything else is a mistake, which core shall see as it is. */
function isFilter(filter: unknown): filter is OutputFilter {
  return isObject(filter) && typeof filter['push'] === 'function' && typeof filter['flush'] === 'function'
}

function judged(step: Step, before: unknown, verdict: unknown): void {
  if (!isObject(verdict)) return
  if ('refuse' in verdict) step.fail(verdict['refuse'])
  else if ('replace' in verdict) step.changed(before, verdict['replace'])
}
