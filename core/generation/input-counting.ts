import type { CallSteps } from '../call/steps.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RequestEnvelope } from '../contracts/request-envelope.ts'
import type { RequestScope } from '../contracts/request-scope.ts'
import type { InputCount } from '../contracts/route.ts'
import type { GatewayError } from '../foundation/errors.ts'
import type { ContextWindow } from '../routing/context-window.ts'
import { Preparation, type PreparationServices, type Prepared } from './preparation.ts'

/** Counts the input of one request with the tokenizer of the first candidate. No model is asked, so it costs nothing. */
export class InputCounting extends Preparation implements CallSteps<unknown, Prepared, InputCount, InputCount> {
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

  async answer({ candidates, request }: Prepared): Promise<InputCount> {
    return await this.#contextWindow.count(candidates[0]!.endpoint, request)
  }

  deliver(count: InputCount): InputCount {
    return count
  }

  fail(thrown: unknown): GatewayError {
    return this.operation.failed(thrown)
  }
}
