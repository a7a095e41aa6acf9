import type { GenerationEvent, ProviderCall } from '../../../core/index.ts'
import type { ToolDefinition, Yielded } from '../../../core/kit.ts'
import { played, type Round, type ToolShape } from './provider-events.ts'

/** A provider's part in one case: a round a call, and again from the first with every run. */
export class Script {
  #rounds: readonly Round[] | readonly GenerationEvent[] = []
  #run: string | undefined
  #next = 0

  begin(rounds: readonly Round[] | readonly GenerationEvent[]): void {
    this.#rounds = rounds
    this.#run = undefined
  }

  async *next({ request, context }: ProviderCall): AsyncGenerator<Yielded> {
    if (context.id !== this.#run) this.#next = 0
    this.#run = context.id
    const number = this.#next++
    const said = this.#rounds[number]
    if (said === undefined || 'type' in said) yield* this.#rounds as readonly GenerationEvent[]
    else yield* played(said, (request.tools ?? []).flatMap(shapesOf), number)
  }
}

function shapesOf(tool: ToolDefinition): readonly ToolShape[] {
  const { type, name, tools } = tool as { type: string; name: string; tools?: readonly ToolDefinition[] }
  if (type === 'namespace') return tools!.flatMap(shapesOf).map(inner => ({ ...inner, namespace: name }))
  if (type === 'custom') return [{ name, custom: true }]
  return type === 'function' ? [{ name }] : []
}
