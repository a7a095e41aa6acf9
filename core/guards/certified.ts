import type { Endpoint } from '../contracts/catalog.ts'
import { features, usesFeature, type Feature } from '../contracts/feature.ts'
import type { GuardSession, RefusedRoute } from '../contracts/guardrail.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RetrievalKind } from '../contracts/retrieval.ts'
import { isCovered } from '../contracts/sight.ts'
import { policyRefusal } from '../foundation/errors.ts'
import { own, wording, type Own } from '../foundation/wording.ts'

/** An agreement that an operator states for one model at one provider, and the features that it does not cover. */
export interface Certificate {
  /** Requests that use one of these are not covered. */
  readonly excludes?: readonly Feature[] | undefined
  /** The kinds of calls besides generations that it covers. */
  readonly covers?: readonly RetrievalKind[] | undefined
}

/** The rule of such a guardrail, and how its refusals name it. */
export interface CertifiedOnly {
  /** Begins the refusal: `Zero data retention is on for this API key (set by the org)`. */
  readonly rule: string
  /** Completes "no provider … has". */
  readonly missing: string
  /** Reads an endpoint's certificate, such as its `zdr`. False: it has none. */
  readonly certificateOf: (endpoint: Endpoint) => Certificate | false
  /** Features that no certificate covers. */
  readonly excludes?: readonly Feature[]
}

/** The session of a guardrail that lets only endpoints with a certificate see the request. */
export function certifiedOnly({
  rule,
  missing,
  certificateOf: statedFor,
  excludes = [],
}: CertifiedOnly): Required<Pick<GuardSession, 'route' | 'refusal'>> {
  let used: readonly Feature[] | undefined
  const certificateOf = (endpoint: Endpoint): Certificate | false => {
    const { kind } = endpoint
    const certificate = statedFor(endpoint)
    return kind === undefined || kind === 'decision' || isCovered(certificate, kind) ? certificate : false
  }
  const outside = (certificate: Certificate): readonly Feature[] =>
    used!.filter(feature => excludes.includes(feature) || certificate.excludes?.includes(feature))
  const certifiedOf = (endpoints: readonly Endpoint[]): readonly Certified[] =>
    endpoints.flatMap(endpoint => {
      const certificate = certificateOf(endpoint)
      return certificate ? [{ endpoint, name: `${endpoint.provider}/${endpoint.model}`, uncovered: outside(certificate) }] : []
    })
  return {
    route(endpoint, request: GenerationRequest) {
      used ??= features.filter(feature => usesFeature(request, feature))
      const certificate = certificateOf(endpoint)
      return certificate !== false && outside(certificate).length === 0
    },
    refusal(others, { rejected, passedOver }) {
      const elsewhere = certifiedOf(others)
      const covering = elsewhere.filter(({ uncovered }) => uncovered.length === 0).map(({ name }) => name)
      const instead = covering.length > 0 ? `name ${listed(covering, 3)}` : 'choose another model'
      const here = certifiedOf(rejected)
      if (here.length > 0)
        return policyRefusal(
          wording`${own(rule)}, and for ${modelsOf(here.map(({ endpoint }) => endpoint))} it does not cover ${own(
            [...new Set(here.flatMap(({ uncovered }) => uncovered))].join(', '),
          )}, which this request uses. Leave that out, ${own(instead)}, or use another API key.`,
        )
      if (covering.length > 0)
        return policyRefusal(
          wording`${own(rule)}, and no endpoint that this request names has ${own(missing)}. Instead, ${own(instead)}, or use another API key.`,
        )
      const near = elsewhere[0] ?? certifiedOf(passedOver.map(({ endpoint }) => endpoint))[0]
      if (!near)
        return policyRefusal(
          wording`${own(rule)}, and no provider of ${modelsOf(rejected)} has ${own(missing)}. Choose another model, or another API key.`,
        )
      const { reason, advice = 'Choose another model' } = obstacleOf(near, passedOver)
      return policyRefusal(
        wording`${own(rule)}, and no endpoint that can serve this request has ${own(missing)}. "${named(near.endpoint, near.name)}" has, but ${own(reason)}. ${own(advice)}, or use another API key.`,
      )
    },
  }
}

interface Certified {
  readonly endpoint: Endpoint
  readonly name: string
  /** Features of the request that the certificate does not cover. */
  readonly uncovered: readonly Feature[]
}

interface Obstacle {
  /** Completes "It has a certificate, but …". */
  readonly reason: string
  /** Advice for the caller. */
  readonly advice?: string
}

const obstacles: Readonly<Partial<Record<PassedOver, Obstacle>>> = {
  tools: { reason: 'it cannot serve the tools of this request', advice: 'Leave them out and name it, choose another model' },
  images: { reason: 'it takes no images, and this request has some', advice: 'Leave them out and name it, choose another model' },
  files: { reason: 'it takes no files, and this request has some', advice: 'Leave them out and name it, choose another model' },
  'context-window': {
    reason: 'the input is too long for its context window',
    advice: 'Shorten the input and name it, choose another model',
  },
  policy: { reason: 'another policy of this API key excludes it' },
}

function obstacleOf({ endpoint, uncovered }: Certified, passedOver: RefusedRoute['passedOver']): Obstacle {
  if (uncovered.length > 0)
    return {
      reason: `it does not cover ${uncovered.join(', ')}, which this request uses`,
      advice: 'Leave that out and name it, choose another model',
    }
  const reason = passedOver.find(each => each.endpoint === endpoint)!.reason
  return obstacles[reason] ?? { reason: 'another endpoint supports more of this request', advice: 'Name it, choose another model' }
}

function modelsOf(endpoints: readonly Endpoint[]): Own | string {
  const models = listed([...new Set(endpoints.map(({ model }) => model))], 5)
  return endpoints.every(each => each.listed) ? own(models) : models
}

/** Callers can make up the names of models that no catalog lists. */
function named(endpoint: Endpoint, name: string): Own | string {
  return endpoint.listed ? own(name) : name
}

function listed(names: readonly string[], most: number): string {
  return names
    .slice(0, most)
    .map(name => `"${name}"`)
    .join(', ')
}
