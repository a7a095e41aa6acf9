import { Accounts } from './admission/accounts.ts'
import { Alerts } from './alerts/alerts.ts'
import { Admission } from './admission/admit.ts'
import { KeyIssuer } from './admission/key-issuer.ts'
import { KeyWarnings } from './admission/key-warnings.ts'
import { Permissions } from './admission/permissions.ts'
import { PolicyResolver } from './admission/policy.ts'
import { EarlyTokens } from './limits/early-tokens.ts'
import { RequestLimits } from './limits/request-limits.ts'
import { StoredRows } from './admission/stored-rows.ts'
import { Tickets } from './admission/tickets.ts'
import { Credentials } from './call/attempts/credentials.ts'
import { EndpointCircuits } from './call/attempts/endpoint-circuits.ts'
import { ProviderQueues } from './call/attempts/provider-queues.ts'
import { ProviderStates } from './call/attempts/provider-states.ts'
import { SendingRulesIndex } from './call/attempts/sending-rules.ts'
import { Calls } from './call/calls.ts'
import { Observers } from './call/observers.ts'
import { SessionIds } from './call/session-ids.ts'
import { Reservations } from './limits/reservations.ts'
import { AskedModels } from './decisions/asked-models.ts'
import { DecisionAttempts } from './decisions/attempts.ts'
import { Decisions } from './decisions/decisions.ts'
import { DecisionFit } from './decisions/fit.ts'
import { DecisionNames } from './decisions/names.ts'
import { TokenLimits } from './decisions/token-limits.ts'
import { Generation } from './generation/generation.ts'
import { Compactions } from './generation/compaction/compactions.ts'
import { History } from './generation/history.ts'
import { Lowering } from './generation/lowering/lowering.ts'
import { LoadedTools } from './generation/tools/loaded-tools.ts'
import { ModelCalls } from './generation/model-call.ts'
import { Reach } from './guards/reach.ts'
import { RetrievalAttempts } from './retrieval/attempts.ts'
import { Retrievals } from './retrieval/retrievals.ts'
import { InputLimit } from './retrieval/token-limit.ts'
import { TokenTexts } from './retrieval/token-texts.ts'
import { HttpApp } from './server/app.ts'
import { Heartbeat } from './server/heartbeat.ts'
import { LiveBodies } from './server/live-bodies.ts'
import { LiveLoad } from './server/admin/live-load.ts'
import { OpenConnections } from './server/connections/open-connections.ts'
import { PublicApi } from './server/public-api.ts'
import { LiveAnswers } from './call/live-answers.ts'
import { LiveOperations } from './call/live-operations.ts'
import { RecordQueue } from './records/queue.ts'
import { Affinity } from './routing/affinity.ts'
import { CatalogFacts } from './routing/catalog-facts.ts'
import { ContextWindow } from './routing/context-window.ts'
import { Planner } from './routing/plan.ts'
import { Precedence } from './routing/precedence.ts'
import { RoutePreviews } from './routing/preview.ts'
import { Sorts } from './routing/sorts.ts'

/** The classes of core of which a gateway has one object each. */
export const pipeline = [
  PolicyResolver,
  Accounts,
  StoredRows,
  Permissions,
  Reach,
  Tickets,
  EarlyTokens,
  RequestLimits,
  Admission,
  KeyIssuer,
  KeyWarnings,
  Reservations,
  EndpointCircuits,
  ProviderQueues,
  SendingRulesIndex,
  Affinity,
  Precedence,
  Sorts,
  Planner,
  CatalogFacts,
  RoutePreviews,
  Credentials,
  ProviderStates,
  Lowering,
  History,
  ContextWindow,
  LoadedTools,
  Compactions,
  ModelCalls,
  LiveAnswers,
  LiveOperations,
  SessionIds,
  Observers,
  Calls,
  Generation,
  TokenLimits,
  DecisionNames,
  DecisionFit,
  AskedModels,
  DecisionAttempts,
  Decisions,
  InputLimit,
  TokenTexts,
  RetrievalAttempts,
  Retrievals,
  RecordQueue,
  Alerts,
  Heartbeat,
  LiveBodies,
  PublicApi,
  HttpApp,
  OpenConnections,
  LiveLoad,
]
