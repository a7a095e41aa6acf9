import { GatewayError, type Clock, type Ids, type JsonObject } from '../../../core/index.ts'
import { type FinishedAnswer, type GenerationSink, type ItemEvent, type MessageItem, type Outcome, wording } from '../../../core/kit.ts'
import { publicUsage } from './response-object.ts'

/** Makes the object `response.compaction`: the messages that stay, then the compaction. */
export class CompactionBuilder implements GenerationSink {
  readonly id: string
  readonly full = false
  readonly #ids: Ids
  readonly #createdAt: number
  readonly #output: JsonObject[] = []
  #usage: JsonObject = {}

  constructor(ids: Ids, clock: Clock) {
    this.#ids = ids
    this.id = ids.make('resp')
    this.#createdAt = Math.floor(clock.now() / 1000)
  }

  get compaction(): JsonObject {
    return { id: this.id, object: 'response.compaction', created_at: this.#createdAt, output: this.#output, usage: this.#usage }
  }

  begin(): void {}

  write(event: ItemEvent): void {
    if (event.type !== 'item-open' || event.item.kind !== 'compaction') return
    const { id, opaque } = event.item
    this.#output.push({ id, type: 'compaction', encrypted_content: opaque })
  }

  retain(messages: readonly MessageItem[]): void {
    const shown = messages.map(({ id, role, content }) => ({
      id: id ?? this.#ids.make('msg'),
      type: 'message',
      status: 'completed',
      role,
      content,
    }))
    this.#output.unshift(...shown)
  }

  close({ usage, costUsd }: Outcome): FinishedAnswer {
    if (this.#output.at(-1)?.['type'] !== 'compaction') throw notCompacted()
    this.#usage = publicUsage(usage, costUsd)
    return { id: this.id, body: this.compaction }
  }

  end(): void {}

  fail(): void {}

  drained(): Promise<void> {
    return Promise.resolve()
  }
}

function notCompacted(): GatewayError {
  return new GatewayError({
    status: 424,
    type: 'provider_error',
    code: 'provider_error',
    message: wording`The provider answered without a compaction. Load the plugin "summary" to compact conversations of any model.`,
  })
}
