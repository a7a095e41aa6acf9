import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import { lastText } from './conversation.ts'
import { callTools, pendingTools, speak } from './reply.ts'
import { selectTools } from './tool-choice.ts'

/** Repeats the last user message. Calls tools only if forced to. */
export async function* echo({ request }: ProviderCall): AsyncGenerator<GenerationEvent> {
  yield* await obey(request, lastText(request))
}

/** A forced call if one is due, else the text. */
export function obey(request: ProviderCall['request'], text: string | readonly string[]): Promise<readonly GenerationEvent[]> {
  const { tools, forced } = selectTools(request)
  const pending = forced ? pendingTools(request, tools) : []
  return pending.length > 0 ? callTools(request, pending) : speak(request, text)
}
