import { ProviderFailure, type GenerationEvent, type Provider, type ProviderCall } from '../../../core/index.ts'
import { sendingRules, type SendingRules } from '../../../core/kit.ts'
import { several } from './choices.ts'
import { echo } from './echo.ts'
import { fail } from './fail.ts'
import { metered } from './metering.ts'
import { isModelName, type ModelName } from './models.ts'
import { reasoning } from './reasoning.ts'
import { slow } from './slow.ts'
import { tools } from './tools.ts'

type Say = (call: ProviderCall) => Iterable<GenerationEvent> | AsyncIterable<GenerationEvent>

const models: Readonly<Record<ModelName, Say>> = { echo, tools, reasoning, slow, fail }

export function sandboxProvider(id: string, rules: SendingRules = {}): Provider {
  return {
    id,
    ...sendingRules(rules),
    async *generate(call) {
      const name = call.endpoint.upstreamModel
      if (!isModelName(name))
        throw new ProviderFailure({
          kind: 'not-found',
          status: 404,
          message: `The sandbox has no model ${JSON.stringify(name)}. It has ${Object.keys(models).join(', ')}.`,
        })
      call.signal.throwIfAborted()
      const answer = (): AsyncIterable<GenerationEvent> => metered(call, models[name])
      yield* call.request.choices === undefined ? answer() : several(call.request.choices, answer)
    },
  }
}
