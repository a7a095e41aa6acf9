import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { lastText } from './conversation.ts'
import { callTools, pendingTools, speak } from './reply.ts'
import { selectTools } from './tool-choice.ts'

/** Calls every tool that it may call once a turn, then answers. */
export function tools({ request }: ProviderCall): readonly GenerationEvent[] {
  const pending = pendingTools(request, selectTools(request).tools)
  return pending.length > 0 ? callTools(request, pending) : speak(request, lastText(request))
}
