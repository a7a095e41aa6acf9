import { wire, type Dependencies } from '../framework/container.ts'
import type { Endpoint } from '../contracts/catalog.ts'
import type { GenerationRequest } from '../contracts/request.ts'
import type { RunContext } from '../contracts/run-context.ts'
import { Permissions } from '../admission/permissions.ts'
import { PolicyResolver } from '../admission/policy.ts'
import { GatewayError } from '../foundation/errors.ts'
import { Guardrails } from '../framework/extension-points.ts'
import { loadedGuards, openGuards, type LoadedGuard, type OpenGuard } from './input-guards.ts'
import { isCleared } from './route-guards.ts'

const dependencies = { guardrails: Guardrails, permissions: Permissions, policies: PolicyResolver }

/** Finds the endpoints that a caller's requests can reach: those that the key permits and that guardrails allow. */
export class Reach {
  readonly #permissions: Permissions
  readonly #policies: PolicyResolver
  readonly #guards: readonly LoadedGuard[]

  static {
    wire(this, dependencies)
  }

  constructor({ guardrails, permissions, policies }: Dependencies<typeof dependencies>) {
    this.#permissions = permissions
    this.#policies = policies
    this.#guards = loadedGuards(guardrails)
  }

  /** Asks the guardrails as for a short request. A guardrail that refuses every request leaves no endpoint. */
  of(context: RunContext): (endpoint: Endpoint) => boolean {
    const { caller } = context
    const { zdr, hipaa, redaction } = caller.policy
    const mayDecide = !zdr.value && !hipaa.value && !redaction.value
    const guards = this.#open(context)
    if (!guards) return () => false
    const routing = guards.filter(({ session }) => session.route)
    return endpoint => {
      if (!this.#permissions.allows(caller, endpoint)) return false
      if (endpoint.kind === 'decision') return mayDecide && routing.every(({ session }) => session.decision)
      return routing.length === 0 || unlessRefused(() => isClearedBy(routing, endpoint, context)) === true
    }
  }

  #open(context: RunContext): readonly OpenGuard[] | undefined {
    return unlessRefused(() => {
      this.#policies.check(context.caller.policy)
      return openGuards(this.#guards, context)
    })
  }
}

function isClearedBy(guards: readonly OpenGuard[], endpoint: Endpoint, context: RunContext): boolean {
  const request: GenerationRequest = {
    model: endpoint.model,
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
  }
  return guards.every(guard => isCleared(endpoint, request, guard, context))
}

/** The result, unless the guardrail refuses. A guardrail that fails refuses, too. */
function unlessRefused<T>(ask: () => T): T | undefined {
  try {
    return ask()
  } catch (error) {
    if (error instanceof GatewayError) return undefined
    throw error
  }
}
