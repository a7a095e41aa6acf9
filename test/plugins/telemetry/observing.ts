import { CallObservers, definePlugin, type CallObserver, type Registry } from '../../../core/index.ts'
import type { BegunAttempt, BegunCall, ClosedRequest, EndedAttempt } from '../../../core/kit.ts'
import type { PluginUse } from '../../../core/framework/plugin.ts'

/** A plugin that hands the observer `prometheus` to the test, which then tells it of any number of requests. */
export function observerOf(): { readonly plugin: PluginUse; readonly observer: () => CallObserver } {
  let observers: Registry<CallObserver> | undefined
  const plugin = definePlugin({
    name: 'observer-table',
    options: { type: 'object', additionalProperties: false, properties: {} },
    needs: { observers: CallObservers },
    setup(_, __, needs) {
      observers = needs.observers
    },
  })({})
  return { plugin, observer: () => observers!.get('prometheus')! }
}

export const closed: ClosedRequest = {
  id: 'req_demo',
  at: 0,
  elapsedMs: 1_500,
  firstEventMs: 300,
  kind: 'generation',
  surface: 'responses',
  method: 'POST',
  trace: null,
  status: 200,
  errorCode: null,
  reason: null,
  keyId: 'demo-key',
  org: 'demo-org',
  team: 'demo-team',
  provider: 'acme',
  model: 'small',
  isListed: true,
  stream: false,
  attempts: 1,
  usage: { uncachedInput: 10, cacheRead: 20, cacheWrite5m: 3, cacheWrite1h: 4, output: 50, reasoning: 8 },
  costUsd: 0.25,
  policy: null,
}

export const begun: BegunCall = {
  id: 'req_demo',
  kind: 'generation',
  surface: 'responses',
  at: 0,
  keyId: 'demo-key',
  org: 'demo-org',
  team: 'demo-team',
  stream: false,
  trace: null,
  session: null,
  requestedModel: null,
}

const endedAttempt: EndedAttempt = {
  elapsedMs: 1_200,
  firstEventMs: 200,
  outcome: 'ok',
  queuedMs: 0,
  status: null,
  usage: null,
  costUsd: null,
}

/** Tells of one call with these attempts, one after the other. */
export function call(
  observer: CallObserver,
  attempts: readonly (Pick<BegunAttempt, 'provider' | 'model'> &
    Partial<EndedAttempt> & { readonly role?: BegunAttempt['role']; readonly isListed?: boolean })[],
  request: Partial<ClosedRequest> = {},
): void {
  const observation = observer.begin(begun)
  for (const { provider, model, role = 'only', isListed = true, ...ended } of attempts) {
    const end = observation?.attempt?.({ at: 0, provider, model, isListed, role })
    if (typeof end === 'function') end({ ...endedAttempt, ...ended })
    else end?.end({ ...endedAttempt, ...ended })
  }
  observer.closed?.({ ...closed, ...request })
}
