import { Accounts } from './admission/accounts.ts'
import { Admission } from './admission/admit.ts'
import { KeyIssuer } from './admission/key-issuer.ts'
import { KeyWarnings } from './admission/key-warnings.ts'
import { Permissions } from './admission/permissions.ts'
import { PolicyResolver } from './admission/policy.ts'
import { RequestLimits } from './admission/request-limits.ts'
import { StoredRows } from './admission/stored-rows.ts'
import { Tickets } from './admission/tickets.ts'
import { Credentials } from './attempts/credentials.ts'
import { EndpointCircuits } from './attempts/endpoint-circuits.ts'
import { ProviderQueues } from './attempts/provider-queues.ts'
import { ProviderStates } from './attempts/provider-states.ts'
import { SendingRulesIndex } from './attempts/sending-rules.ts'
import { Reservations } from './billing/reservations.ts'
import { AskedModels } from './decisions/asked-models.ts'
import { DecisionAttempts } from './decisions/attempts.ts'
import { Decisions } from './decisions/decisions.ts'
import { DecisionNames } from './decisions/names.ts'
import { TokenLimits } from './decisions/token-limits.ts'
import { Attempts } from './generation/attempts.ts'
import { Generation } from './generation/generation.ts'
import { History } from './generation/history.ts'
import { Lowering } from './generation/lowering/lowering.ts'
import { LoadedTools } from './generation/tools/loaded-tools.ts'
import { ModelCalls } from './generation/model-call.ts'
import { Reach } from './guards/reach.ts'
import { HttpApp } from './http/app.ts'
import { Heartbeat } from './http/heartbeat.ts'
import { LiveBodies } from './http/live-bodies.ts'
import { LiveAnswers } from './operation/live-answers.ts'
import { LiveOperations } from './operation/live-operations.ts'
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
  Attempts,
  ModelCalls,
  LiveAnswers,
  LiveOperations,
  Generation,
  TokenLimits,
  DecisionNames,
  AskedModels,
  DecisionAttempts,
  Decisions,
  RecordQueue,
  Heartbeat,
  LiveBodies,
  HttpApp,
]
