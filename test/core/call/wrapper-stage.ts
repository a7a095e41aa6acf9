import { CallWrappers, type CallWrapper, type GenerationEvent, type RunContext } from '../../../core/index.ts'
import type { AnsweredGeneration, GenerationToWrap, GenerationWrap } from '../../../core/kit.ts'
import type { Maybe } from '../../../core/stores.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'
import { adding } from '../../kit/stage.ts'

let made = 0

/** A call wrapper that neither sends content away nor keeps it, unless the test says otherwise. */
export function wrapping(wrapper: Partial<CallWrapper>): PluginUse {
  return adding<CallWrapper>(CallWrappers, {
    name: `wrapper-${++made}`,
    seesContent: 'local',
    keepsContent: false,
    timeoutMs: 60_000,
    ...wrapper,
  })
}

/** Answers every generation. */
export function giving(answer: GenerationWrap['answer'], more: Partial<CallWrapper> = {}): PluginUse {
  return wrapping({ generation: () => ({ answer: answer! }), ...more })
}

export interface Looker {
  readonly plugin: PluginUse
  readonly calls: GenerationToWrap[]
  readonly contexts: RunContext[]
  /** The events that the sink got, in order: types, with text, and `end` and `fail`. */
  readonly told: string[]
  readonly events: GenerationEvent[]
  readonly ends: AnsweredGeneration[]
}

/** A call wrapper that only looks. */
export function looking(more: Partial<CallWrapper> = {}, open: (call: GenerationToWrap) => Maybe<void> = () => {}): Looker {
  const looker = { calls: [], contexts: [], told: [], events: [], ends: [] } as unknown as Looker
  const plugin = wrapping({
    async generation(call, context) {
      looker.calls.push(call)
      looker.contexts.push(context)
      await open(call)
      return {
        write(event) {
          looker.events.push(event)
          looker.told.push('text' in event ? `${event.type} ${event.text}` : event.type)
        },
        end(answered) {
          looker.ends.push(answered)
          looker.told.push('end')
        },
        fail: () => void looker.told.push('fail'),
      }
    },
    ...more,
  })
  return Object.assign(looker, { plugin })
}
