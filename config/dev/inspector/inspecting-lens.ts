import type { HttpClient } from '../../../core/contracts/http-client.ts'
import type { Lens } from '../../../core/framework/lens.ts'
import type { Inspector } from './inspector.ts'
import { watchedWrapper } from './watched/call-wrapper.ts'
import { watchedDecisionClient } from './watched/decision-client.ts'
import { watchedGuardrail } from './watched/guardrail.ts'
import { watchedClient } from './watched/http-client.ts'
import { watchedSink } from './watched/log-sink.ts'
import { watchedPolicySource } from './watched/policy-source.ts'
import { watchedProvider } from './watched/provider.ts'
import { watchedConnection, watchedRoute } from './watched/route.ts'
import { watchedEngine } from './watched/search-engine.ts'
import { watchedSort } from './watched/sort.ts'
import { watchedTool } from './watched/tool.ts'
import type { Watching } from './watched/watching.ts'

/** How contributions are watched, by the words of their extension points. Others have no part in a request, or only look at it. */
const watchers: Readonly<Record<string, (contribution: never, watching: Watching) => object>> = {
  'call wrapper': watchedWrapper,
  'connection protocol': watchedConnection,
  'decision client': watchedDecisionClient,
  guardrail: watchedGuardrail,
  'log sink': watchedSink,
  'policy source': watchedPolicySource,
  provider: watchedProvider,
  route: watchedRoute,
  'search engine': watchedEngine,
  sort: watchedSort,
  tool: watchedTool,
}

/** Shows the inspector what plugins do. `unseen`: a plugin that is not shown. */
export class InspectingLens implements Lens {
  readonly #inspector: Inspector
  readonly #unseen: string

  constructor(inspector: Inspector, unseen: string) {
    this.#inspector = inspector
    this.#unseen = unseen
  }

  contribution<T>(kind: string, contribution: T, plugin: string): T {
    const watch = watchers[kind]
    if (!watch || plugin === this.#unseen) return contribution
    return watch(contribution as never, { inspector: this.#inspector, plugin }) as T
  }

  http(http: HttpClient, plugin: string): HttpClient {
    return watchedClient(http, { inspector: this.#inspector, plugin })
  }
}
