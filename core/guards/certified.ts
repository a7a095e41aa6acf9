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
  const outside = (certificate: Certificate): readonly Feature[] =>
    used!.filter(feature => excludes.includes(feature) || certificate.excludes?.includes(feature))
  return {
    route(endpoint, request: GenerationRequest) {
      models.add(endpoint.model)
      used ??= features.filter(feature => usesFeature(request, feature))
      const certificate = certificateOf(endpoint)
      if (!certificate) return false
      for (const feature of outside(certificate)) uncovered.add(feature)
      return outside(certificate).length === 0
    },
    refusal(others) {
      const names = listed(Array.from(models), 5)
      const certified = others.flatMap(endpoint => {
        const certificate = certificateOf(endpoint)
        return certificate ? [{ name: `${endpoint.provider}/${endpoint.model}`, lacks: outside(certificate) }] : []
      })
      const covering = certified.filter(({ lacks }) => lacks.length === 0).map(({ name }) => name)
      const instead = covering.length > 0 ? `name ${listed(covering, 3)}` : 'choose another model'
      const noneHere = `${rule}, and no endpoint that this request names has ${missing}.`
      if (uncovered.size > 0)
        return policyRefusal(
          `${rule}, and for ${names} it does not cover ${[...uncovered].join(', ')}, which this request uses. ` +
            `Leave that out, ${instead}, or use another API key.`,
        )
      if (covering.length > 0) return policyRefusal(`${noneHere} Instead, ${instead}, or use another API key.`)
      const [near] = certified
      if (near)
        return policyRefusal(
          `${noneHere} "${near.name}" has, but it does not cover ${near.lacks.join(', ')}, which this request uses. ` +
            'Leave that out and name it, choose another model, or use another API key.',
        )
      return policyRefusal(`${rule}, and no provider of ${names} has ${missing}. Choose another model, or another API key.`)
    },
  }
}

function listed(names: readonly string[], most: number): string {
  return names
    .slice(0, most)
    .map(name => `"${name}"`)
    .join(', ')
}
