import type { Permissions } from '../admission/permissions.ts'
import type { Catalog, Endpoint } from '../contracts/catalog.ts'
import type { RefusedRoute } from '../contracts/guardrail.ts'
import type { PassedOver } from '../contracts/log-sink.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import { GatewayError } from '../foundation/errors.ts'
import { lackedBy } from './capabilities.ts'
import type { ContextWindow } from './context-window.ts'
import { endpointsFor } from './model-name.ts'
import type { NamedModel } from './named-models.ts'
import type { PlanScope } from './plan.ts'
import type { Selection } from './selection.ts'

export interface Alternatives extends Pick<RefusedRoute, 'passedOver'> {
  /** Endpoints that would serve the request if it named them. */
  readonly others: readonly Endpoint[]
}

interface Parts {
  readonly catalog: Catalog
  readonly permissions: Permissions
  readonly contextWindow: ContextWindow
}

interface RoutedRequest {
  readonly request: GenerationRequest
  readonly scope: PlanScope
  readonly models: readonly NamedModel[]
  readonly selection: Selection
}

/** The other endpoints of a request's models that its key permits, whether it names them or not. */
export async function alternatives(parts: Parts, { request, scope, models, selection }: RoutedRequest): Promise<Alternatives> {
  const { catalog, permissions, contextWindow } = parts
  const skipped = new Map(selection.passedOver.map(({ endpoint, reason }) => [endpoint, reason]))
  const named = new Set(models.flatMap(({ endpoints, fallbacks }) => [...endpoints, ...fallbacks]))
  const known = [...new Set(Array.from(named, ({ model }) => model))].map(model => catalog.resolve(model))
  const unnamed = known.flatMap(model => (model ? endpointsFor(model, scope.kind) : [])).filter(endpoint => !named.has(endpoint))
  const permitted = [...skipped.keys(), ...unnamed].filter(endpoint => permissions.allows(scope.context.caller, endpoint))
  const reasons = new Map<Endpoint, PassedOver>()
  for (const endpoint of permitted) {
    const reason = lackedBy(endpoint, request) ?? toolsLackedBy(endpoint, scope)
    if (reason) reasons.set(endpoint, reason)
  }
  const able = permitted.filter(endpoint => !reasons.has(endpoint))
  const fitting = scope.dryRun || scope.kind ? able : await fittingOf(able, request, contextWindow)
  for (const endpoint of able) {
    const reason = fitting.includes(endpoint) ? skipped.get(endpoint) : 'context-window'
    if (reason) reasons.set(endpoint, reason)
  }
  return {
    others: permitted.filter(endpoint => !reasons.has(endpoint)),
    passedOver: Array.from(reasons, ([endpoint, reason]) => ({ endpoint, reason })),
  }
}

function toolsLackedBy(endpoint: Endpoint, { servable }: PlanScope): PassedOver | undefined {
  try {
    return servable && servable([endpoint]).length === 0 ? 'tools' : undefined
  } catch (error) {
    if (error instanceof GatewayError) return 'tools'
    throw error
  }
}

async function fittingOf(endpoints: readonly Endpoint[], request: GenerationRequest, window: ContextWindow): Promise<readonly Endpoint[]> {
  if (endpoints.length === 0) return endpoints
  try {
    return await window.fit(endpoints, request)
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'context_length_exceeded') return []
    throw error
  }
}
