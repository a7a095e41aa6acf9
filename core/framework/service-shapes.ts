import { AccountStore } from '../contracts/account-store.ts'
import { AlertStore } from '../contracts/alert.ts'
import { AlertOutbox } from '../contracts/alert-outbox.ts'
import { AlertTargetStore } from '../contracts/alert-target.ts'
import { AlertTargets } from '../contracts/alert-targets.ts'
import { AdminTokenStore } from '../contracts/admin-token-store.ts'
import { AuditTrail } from '../contracts/audit-trail.ts'
import { BackgroundStore } from '../contracts/background-store.ts'
import { Compactor } from '../contracts/compactor.ts'
import { Coordination } from '../contracts/coordination.ts'
import { ConversationStore } from '../contracts/conversation-store.ts'
import { Conversations } from '../contracts/conversations.ts'
import { KeyStore } from '../contracts/key-store.ts'
import { Ledger } from '../contracts/ledger.ts'
import { MetricStore } from '../contracts/metric-store.ts'
import { RateLimiter } from '../contracts/rate-limiter.ts'
import { RecordStore } from '../contracts/record-store.ts'
import { ResponseStore } from '../contracts/response-store.ts'
import { SavedWindows } from '../contracts/saved-windows.ts'
import { Sealer } from '../contracts/sealer.ts'
import { SharedState } from '../contracts/shared-state.ts'
import { SignOuts } from '../contracts/sign-outs.ts'
import { TokenCounter } from '../contracts/token-counter.ts'
import { nameOf, type ContractToken, type Token } from '../foundation/token.ts'
import { count, flag, method, optional, shapeProblem, text, type Member, type RequiredNames, type Shape } from './shape.ts'

const shapes = new Map<ContractToken<any>, Shape>()

/** The compiler demands every member that the contract requires. */
function service<T>(token: ContractToken<T>, shape: Shape & { readonly [N in RequiredNames<T>]: Member }): void {
  shapes.set(token, shape)
}

service(KeyStore, {
  persistent: flag,
  find: method,
  findAll: optional(method),
  available: optional(method),
  add: method,
  update: method,
  list: method,
  page: method,
  remove: method,
  empty: method,
})
service(AccountStore, { persistent: flag, find: method, named: method, page: method, add: method, update: method, remove: method })
service(ResponseStore, { put: method, get: method, chain: method, items: method, delete: method })
service(ConversationStore, {
  create: method,
  get: method,
  setMetadata: method,
  delete: method,
  items: method,
  page: method,
  item: method,
  append: method,
  deleteItem: method,
  acquire: method,
  renew: method,
  release: method,
})
service(Conversations, { open: method })
service(BackgroundStore, {
  begin: method,
  get: method,
  append: method,
  complete: method,
  finish: method,
  cancel: method,
  renew: method,
  lapse: method,
  events: method,
  delete: method,
  takeNotices: method,
  putOff: method,
  expire: method,
})
service(MetricStore, { record: method, window: method, latest: method, share: optional(method) })
service(RateLimiter, { reserve: method, enter: method, states: optional(method), admit: optional(method) })
service(SavedWindows, { isShared: optional(flag), read: method, add: method })
service(Ledger, {
  reserve: method,
  spent: method,
  raiseSpent: method,
  addCredit: method,
  now: optional(method),
  held: optional(method),
  heldCredit: optional(method),
  balance: method,
  entries: method,
})
service(RecordStore, {
  page: method,
  ranked: optional(method),
  find: method,
  content: method,
  eraseContent: method,
  usage: method,
  keyUse: method,
  usedKeys: optional(method),
})
service(AuditTrail, { add: method, page: method })
service(AdminTokenStore, { find: method, add: method, remove: method, list: method })
service(SignOuts, { add: method, has: method })
service(AlertStore, {
  now: method,
  raise: method,
  notes: method,
  change: method,
  take: method,
  putOff: method,
  page: method,
  find: method,
  acknowledge: method,
  silences: method,
  addSilence: method,
  removeSilence: method,
  expire: method,
})
service(AlertTargetStore, { add: method, find: method, page: method, update: method, remove: method })
service(AlertOutbox, {
  add: method,
  take: method,
  settle: method,
  postpone: method,
  end: method,
  resume: method,
  find: method,
  page: method,
  resend: method,
  standings: method,
  forget: method,
  expire: method,
})
service(AlertTargets, {
  page: method,
  find: method,
  add: method,
  update: method,
  remove: method,
  removeAll: method,
  test: method,
  messages: method,
  message: method,
  resend: method,
})
service(Sealer, { keySource: text, isShared: flag, hasKey: flag, seal: method, open: method, isCurrent: method, mac: method })
service(TokenCounter, { count: method })
service(Compactor, {
  isPortable: flag,
  model: optional(text),
  maxSummaryTokens: count(0),
  maxKeptTokens: count(0),
  maxParts: count(0),
  question: method,
})
service(SharedState, { publish: method, subscribe: method })
service(Coordination, {
  expectedProcesses: optional(count(1)),
  claim: method,
  change: method,
  states: method,
  beat: method,
  gauges: method,
  exchange: method,
})

/** The services that plugins provide by a contract of core. */
export const checkedServices: readonly ContractToken<any>[] = [...shapes.keys()]

/** The reason why it does not implement the service, if there is one. Services that plugins define among themselves are not checked. */
export function serviceProblem(service: Token<any>, implementation: unknown): string | undefined {
  const shape = shapes.get(service as ContractToken<any>)
  const problem = shape && shapeProblem(implementation, shape)
  return problem && `provides ${nameOf(service)}${problem}`
}
