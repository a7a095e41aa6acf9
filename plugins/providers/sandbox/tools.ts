import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { lastText } from './conversation.ts'
import { callTools, pendingTools, speak } from './reply.ts'
import { selectTools } from './tool-choice.ts'

/** Calls each allowed tool once per turn, then answers. */
export async function* tools({ request }: ProviderCall): AsyncGenerator<GenerationEvent> {
  const pending = pendingTools(request, selectTools(request).tools)
  yield* await (pending.length > 0 ? callTools(request, pending) : speak(request, lastText(request)))
}
