import type { CallKind, CallToWrap, CallWrapper } from '../../../../core/contracts/call-wrapper.ts'
import type { RunContext } from '../../../../core/contracts/run-context.ts'
import { isObject } from '../../../../core/foundation/json.ts'
import type { Maybe } from '../../../../core/runtime/pending.ts'
import { shadow } from '../shadow.ts'
import { watchedEvents } from './events.ts'
import { begin, endpointName, follow, type Watched, type Watching } from './watching.ts'

const kinds = ['generation', 'decision', 'count', 'embedding', 'rerank'] as const

type Opens = (call: CallToWrap<CallKind, unknown>, context: RunContext, signal: AbortSignal) => Maybe<unknown>

export function watchedWrapper(wrapper: CallWrapper, { inspector, plugin }: Watching): CallWrapper {
  const own: Partial<Record<CallKind, Opens>> = {}
  for (const kind of kinds) {
    if (typeof wrapper[kind] !== 'function') continue
    own[kind] = (call, context, signal) => {
      const of = { plugin, kind: 'call wrapper', name: wrapper.name }
      const watched: Watched = { inspector, inspection: inspector.of(context), of }
      const step = begin(watched, kind)
      step.fact('endpoints', call.endpoints.slice(0, 8).map(endpointName).join(', '))
      step.show('request', call.request)
      return follow<unknown>(
        watched,
        step,
        () => (wrapper[kind] as Opens)(call, context, signal),
        wrap => {
          if (isObject(wrap)) return watchedWrap(wrap, watched)
          if (wrap === undefined) step.end('left')
          return undefined
        },
      )
    }
  }
  return shadow(wrapper, own as Partial<CallWrapper>)
}

type Wrap = Readonly<Record<string, unknown>>

function watchedWrap(wrap: Wrap, watched: Watched): Wrap {
  // Read once: it may be a getter.
  const answer = wrap['answer']
  if (answer !== undefined) {
    const step = begin(watched, 'answer')
    if (isObject(answer) && Symbol.asyncIterator in answer) {
      step.fact('form', 'a stream of events')
      return shadow(wrap, { answer: watchedEvents(answer as unknown as AsyncIterable<object>, watched, step, 'answered') })
    }
    if (Array.isArray(answer)) for (const event of answer) step.event(event)
    else step.show('answer', answer)
    step.end('answered')
    return shadow(wrap, { answer })
  }
  const step = begin(watched, 'looks at the answer')
  const { write, end, fail } = wrap
  return shadow(wrap, {
    ...(typeof write === 'function' && {
      write: (event: unknown) => {
        const startMs = performance.now()
        try {
          step.event(event)
          return write.call(wrap, event)
        } catch (error) {
          step.fail(error)
          throw error
        } finally {
          step.spent(performance.now() - startMs)
        }
      },
    }),
    ...(isCallable(end) && {
      end: (answered: unknown) => {
        if (!end) return step.end()
        return follow<unknown>(
          watched,
          step,
          () => end.call(wrap, answered),
          () => {},
        )
      },
    }),
    ...(isCallable(fail) && {
      fail: () => {
        step.end('left')
        return fail?.call(wrap)
      },
    }),
  } as Partial<Wrap>)
}

/** Anything else is a mistake, which core shall see as it is. */
function isCallable(member: unknown): member is ((...given: readonly unknown[]) => unknown) | undefined {
  return member === undefined || typeof member === 'function'
}
