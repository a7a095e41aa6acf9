import type { Provider } from '../../contracts/provider.ts'
import type { GenerationRequest } from '../../contracts/request.ts'
import type { Endpoint } from '../../contracts/catalog.ts'
import { isChecked } from './format.ts'

/**
 * True if a streamed reply shows its output as it is generated, without hidden reasoning and without holding text back. Undefined if only
 * the endpoint's replies can tell.
 */
export function showsProgress(request: GenerationRequest, candidate: { endpoint: Endpoint; provider: Provider }): boolean | undefined {
  const { capabilities } = candidate.endpoint
  if (capabilities.streaming === false || isChecked(request, candidate)) return false
  const effort = request.reasoning?.effort
  const { hiddenReasoning, efforts } = capabilities
  if (hiddenReasoning === 'asked') return effort === undefined || effort === 'none'
  if (hiddenReasoning !== undefined) return !hiddenReasoning
  if (efforts?.length === 0) return true
  const rests = effort === 'none' && (!efforts || efforts.includes('none'))
  return (efforts || (effort && effort !== 'none')) && !rests ? false : undefined
}
