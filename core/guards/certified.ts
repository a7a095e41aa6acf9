import type { Endpoint } from '../contracts/catalog.ts'
import { features, usesFeature, type Feature } from '../contracts/feature.ts'
import type { GuardSession } from '../contracts/guardrail.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { policyRefusal } from '../foundation/errors.ts'

/** An agreement that an operator states for one model at one provider, and the features that it does not cover. */
export interface Certificate {
  readonly excludes?: readonly Feature[] | undefined
}

export interface CertifiedOnly {
  /** Begins the refusal: `Zero data retention is on for this API key (set by the org)`. */
  readonly rule: string
  /** Completes "no provider … has". */
  readonly missing: string
  readonly certificateOf: (endpoint: Endpoint) => Certificate | false
  /** Features that no certificate covers. */
  readonly excludes?: readonly Feature[]
}

/** The session of a guardrail that lets only endpoints with a certificate see the request. */
export function certifiedOnly({
  rule,
  missing,
  certificateOf,
  excludes = [],
}: CertifiedOnly): Required<Pick<GuardSession, 'route' | 'refusal'>> {
  const models = new Set<string>()
  const uncovered = new Set<Feature>()
  let used: readonly Feature[] | undefined
  return {
    route(endpoint, request: GenerationRequest) {
      models.add(endpoint.model)
      const certificate = certificateOf(endpoint)
      if (!certificate) return false
      used ??= features.filter(feature => usesFeature(request, feature))
      const outside = used.filter(feature => excludes.includes(feature) || certificate.excludes?.includes(feature))
      for (const feature of outside) uncovered.add(feature)
      return outside.length === 0
    },
    refusal() {
      const names = Array.from(models, name => `"${name}"`).slice(0, 5)
      if (uncovered.size === 0)
        return policyRefusal(`${rule}, and no provider of ${names.join(', ')} has ${missing}. Choose another model, or another API key.`)
      return policyRefusal(
        `${rule}, and for ${names.join(', ')} it does not cover ${[...uncovered].join(', ')}, which this request uses. ` +
          'Leave that out, choose another model, or use another API key.',
      )
    },
  }
}
