import type { LoadedWrapper } from '../call/loaded-wrapper.ts'
import type { CallSteps } from '../call/steps.ts'
import type { AnsweredCount } from '../contracts/call-wrapper.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { InputCount } from '../contracts/route.ts'
import { PluginError, type GatewayError } from '../foundation/errors.ts'
import { membersOf } from '../foundation/json.ts'
import type { ContextWindow } from '../routing/context-window.ts'
import { Preparation, type PreparationServices, type Prepared } from './preparation.ts'

/** Counts the input of one request with the tokenizer of the first candidate. No model is asked, so it costs nothing. */
export class InputCounting extends Preparation<'count'> implements CallSteps<unknown, Prepared, InputCount, InputCount, InputCount> {
  readonly kind = 'count'
  readonly isCounted = false
  readonly #contextWindow: ContextWindow

  constructor(
    services: PreparationServices,
    contextWindow: ContextWindow,
    scope: RequestScope,
    asked: GenerationRequest,
    envelope: RequestEnvelope,
  ) {
    super(services, scope, asked, envelope, true)
    this.#contextWindow = contextWindow
  }

  take(answer: unknown, { plugin }: LoadedWrapper): InputCount {
    const { tokens, estimated } = membersOf(answer)
    if (Number.isSafeInteger(tokens) && (tokens as number) >= 0 && typeof estimated === 'boolean')
      return { tokens: tokens as number, estimated }
    throw new PluginError(plugin, 'gave a count of another form: expected { tokens, estimated }, a whole number from 0 and a boolean')
  }

  async answer({ candidates, request }: Prepared, given: InputCount | undefined): Promise<InputCount> {
    return given ?? (await this.#contextWindow.count(candidates[0]!.endpoint, request))
  }

  deliver(count: InputCount): InputCount {
    return count
  }

  outcome(count: InputCount): Omit<AnsweredCount, 'by'> {
    return { count }
  }

  fail(thrown: unknown): GatewayError {
    return this.operation.failed(thrown)
  }
}
