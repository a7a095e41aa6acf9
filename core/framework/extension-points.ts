import type { AbsentProvider, CatalogSource } from '../contracts/catalog.ts'
import type { DecisionClient } from '../contracts/decision.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import type { LogSink } from '../contracts/log-sink.ts'
import type { PolicySource } from '../contracts/policy.ts'
import type { Provider } from '../contracts/provider.ts'
import type { Route } from '../contracts/route.ts'
import { Registry } from './registry.ts'
import { token, type Token } from '../foundation/token.ts'

export const Providers = token<Registry<Provider>>('providers')
export const AbsentProviders = token<Registry<AbsentProvider>>('absent-providers')
export const CatalogSources = token<Registry<CatalogSource>>('catalog-sources')
export const DecisionClients = token<Registry<DecisionClient>>('decision-clients')
export const Guardrails = token<Registry<Guardrail>>('guardrails')
export const PolicySources = token<Registry<PolicySource>>('policy-sources')
export const LogSinks = token<Registry<LogSink>>('log-sinks')
export const Routes = token<Registry<Route>>('routes')

interface ExtensionPoint<T> {
  readonly token: Token<Registry<T>>
  readonly create: () => Registry<T>
}

function point<T>(token: Token<Registry<T>>, kind: string, nameOf: (contribution: T) => string): ExtensionPoint<any> {
  return { token, create: () => new Registry(kind, nameOf) }
}

/** Every extension point: the word used in errors, and what names a contribution. */
export const extensionPoints: readonly ExtensionPoint<any>[] = [
  point(Providers, 'provider', provider => provider.id),
  point(AbsentProviders, 'absent provider', provider => provider.id),
  point(CatalogSources, 'catalog source', source => source.name),
  point(DecisionClients, 'decision client', client => client.provider),
  point(Guardrails, 'guardrail', guardrail => guardrail.name),
  point(PolicySources, 'policy source', source => source.level),
  point(LogSinks, 'log sink', sink => sink.name),
  point(Routes, 'route', route => `${route.method} ${route.path}`),
]
