import type { DecisionClient, DecisionReply } from '../../../../core/contracts/decision.ts'
import { shadow } from '../shadow.ts'
import { begin, follow, type Watched, type Watching } from './watching.ts'

export function watchedDecisionClient(client: DecisionClient, { inspector, plugin }: Watching): DecisionClient {
  return shadow(client, {
    decide(call) {
      const of = { plugin, kind: 'decision client', name: client.provider }
      const watched: Watched = { inspector, inspection: inspector.of(call.context), of }
      const step = begin(watched, 'decide')
      step.fact('credential', call.credentialId)
      step.show('request', call.request)
      const deciding = follow<DecisionReply>(
        watched,
        step,
        () => client.decide(call),
        reply => step.show('reply', reply),
      )
      return Promise.resolve(deciding)
    },
  })
}
