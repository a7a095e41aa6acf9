import type { GenerationEvent, JsonObject, ProviderCall } from '../../core/index.ts'
import { frameJson, type Decoder, type Emit } from '../../core/kit.ts'
import { failureInside } from './failure.ts'
import { OutputItems } from './output-items.ts'
import { hasOwnTools } from './request.ts'
import type { ResponsesHost } from './responses-host.ts'
import { conclude } from './terminal.ts'
import { warningsFor } from './warnings.ts'
import { number, object, text } from './wire.ts'

/** State for one streamed reply. */
export function decoder(call: ProviderCall, host: ResponsesHost): Decoder {
  return new ResponsesDecoder(warningsFor(call.request, call.endpoint.upstreamModel, host), hasOwnTools(call.request))
}

/** Takes an event's type from its payload, because some hosts send no `event:` lines. */
class ResponsesDecoder implements Decoder {
  readonly #warnings: readonly GenerationEvent[]
  readonly #hasOwnTools: boolean
  #items: OutputItems | undefined
  #hasModel = false
  #ended = false

  constructor(warnings: readonly GenerationEvent[], hasOwnTools: boolean) {
    this.#warnings = warnings
    this.#hasOwnTools = hasOwnTools
  }

  frame(data: string, _event: string | undefined, emit: Emit): void {
    if (this.#ended || data === '' || data === '[DONE]') return
    const event = object(frameJson(data))
    if (!event) return
    if (!this.#items) for (const warning of this.#warnings) emit(warning)
    const items = (this.#items ??= new OutputItems(emit, this.#hasOwnTools))
    items.emit = emit
    this.#event(event, items, emit, data)
  }

  #event(event: JsonObject, items: OutputItems, emit: Emit, data: string): void {
    switch (event.type) {
      case 'response.output_text.delta':
        return items.delta(event, 'text', event.delta)
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return items.delta(event, 'input', event.delta)
      case 'response.reasoning_summary_text.delta':
        return items.delta(event, 'summary', event.delta)
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        return items.delta(event, 'full', event.delta)
      case 'response.refusal.delta':
        return items.delta(event, 'refusal', event.delta)

      case 'response.output_text.done':
        return items.whole(event, 'text', event.text)
      case 'response.function_call_arguments.done':
        return items.whole(event, 'input', event.arguments)
      case 'response.custom_tool_call_input.done':
        return items.whole(event, 'input', event.input)
      case 'response.reasoning_summary_text.done':
        return items.whole(event, 'summary', event.text)
      case 'response.reasoning_text.done':
      case 'response.reasoning.done':
        return items.whole(event, 'full', event.text)
      case 'response.refusal.done':
        return items.whole(event, 'refusal', event.refusal)

      case 'response.output_text.annotation.added':
        return items.annotation(event)
      case 'response.output_item.added':
        return items.added(number(event.output_index), object(event.item) ?? {})
      case 'response.output_item.done':
        return items.done(number(event.output_index), object(event.item) ?? {})

      case 'response.created':
      case 'response.in_progress':
        return this.#model(object(event.response), emit)
      case 'response.completed':
      case 'response.incomplete':
      case 'response.failed':
      case 'response.done':
        return this.#end(event, items, emit)
      case 'error':
        throw failureInside(object(event.error) ?? event, data)
      case undefined:
        if (event.error) throw failureInside(event.error, data)
    }
  }

  #end(event: JsonObject, items: OutputItems, emit: Emit): void {
    this.#ended = true
    const response = object(event.response) ?? {}
    this.#model(response, emit)
    conclude(response, event.type === 'response.done' ? undefined : (event.type as string).slice('response.'.length), items)
  }

  #model(response: JsonObject | undefined, emit: Emit): void {
    const model = text(response?.model)
    if (model === undefined || this.#hasModel) return
    this.#hasModel = true
    emit({ type: 'model', model })
  }
}
