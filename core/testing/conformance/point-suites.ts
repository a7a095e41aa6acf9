import { Providers } from '../../framework/extension-points.ts'
import { answeringSuite } from '../answering-suite.ts'
import { callObserverSuite, callWrapperSuite } from '../call-suites.ts'
import type { CallSuiteOptions } from '../call-stage.ts'
import type { PluginUse } from '../../framework/plugin.ts'
import { engineSuite } from '../engine-suite.ts'
import { providerSuite, type SuiteContext } from '../provider-suite.ts'
import { absentProviderSuite } from '../suites/absent-provider-suite.ts'
import { adminAuthenticatorSuite, adminHostSuite, adminRouteSuite } from '../suites/admin-suites.ts'
import { alertChannelSuite } from '../suites/alert-channel-suite.ts'
import { catalogSourceSuite } from '../suites/catalog-source-suite.ts'
import { connectionSuite } from '../suites/connection-suite.ts'
import { dashboardPageSuite } from '../suites/dashboard-page-suite.ts'
import { decisionClientSuite } from '../suites/decision-client-suite.ts'
import { guardrailSuite } from '../suites/guardrail-suite.ts'
import { logSinkSuite } from '../suites/log-sink-suite.ts'
import { policySourceSuite } from '../suites/policy-source-suite.ts'
import { retrievalSuite } from '../suites/retrieval-suite.ts'
import { routeSuite } from '../suites/route-suite.ts'
import { sortSuite } from '../suites/sort-suite.ts'
import { toolSuite } from '../suites/tool-suite.ts'
import { vendorSuite } from '../suites/vendor-suite.ts'
import type { Applied, Looked, NotApplied, SuitesOf } from './service-suites.ts'
import { madeBy, type ConformanceInputs, type ConformanceSubject } from './subject.ts'

export function pluginOptions(subject: ConformanceSubject): Required<CallSuiteOptions> {
  return { plugin: () => madeBy(subject), plugins: () => subject.plugins?.() ?? [] }
}

/** A suite that runs with the plugin alone, and with the inputs of its contract if there are any. */
function plain<O extends CallSuiteOptions>(run: (t: SuiteContext, options: O) => void, contract?: keyof ConformanceInputs): SuitesOf {
  return ({ subject }) => {
    const inputs = contract && subject.inputs?.[contract]
    return [{ suite: run.name, run: t => run(t, { ...pluginOptions(subject), ...inputs } as unknown as O) }]
  }
}

/** A suite that cannot run without the inputs of its contract. */
function fed<O>(run: (t: SuiteContext, options: O) => void, contract: keyof ConformanceInputs, needed: string): SuitesOf {
  return looked => {
    if (looked.subject.inputs?.[contract] === undefined) return [{ suite: run.name, reason: `give \`inputs.${contract}\` with ${needed}` }]
    return plain(run as unknown as (t: SuiteContext, options: CallSuiteOptions) => void, contract)(looked)
  }
}

/** By the name of the contract. */
export const pointSuites: Readonly<Record<string, SuitesOf>> = {
  Providers: providers,
  AbsentProviders: plain(absentProviderSuite),
  CatalogSources: plain(catalogSourceSuite, 'CatalogSources'),
  DecisionClients: fed(decisionClientSuite, 'DecisionClients', '`models`'),
  Guardrails: plain(guardrailSuite, 'Guardrails'),
  PolicySources: plain(policySourceSuite, 'PolicySources'),
  SortStrategies: plain(sortSuite),
  Tools: fed(toolSuite, 'Tools', '`examples`'),
  SearchEngines: fed(engineSuite, 'SearchEngines', 'the options of `engineSuite`'),
  CallWrappers: plain(callWrapperSuite),
  CallObservers: plain(callObserverSuite),
  AlertChannels: plain(alertChannelSuite, 'AlertChannels'),
  LogSinks: plain(logSinkSuite, 'LogSinks'),
  Routes: plain(routeSuite, 'Routes'),
  Connections: plain(connectionSuite, 'Connections'),
  AdminRoutes: plain(adminRouteSuite),
  AdminHosts: plain(adminHostSuite),
  AdminAuthenticators: plain(adminAuthenticatorSuite, 'AdminAuthenticators'),
  DashboardPages: plain(dashboardPageSuite),
}

function providers({ subject, stage, name }: Looked): readonly (Applied | NotApplied)[] {
  const { adapter, answers, retrieval, model } = subject.inputs?.Providers ?? {}
  const loaded = stage.entries(Providers, name).map(({ contribution }) => contribution)
  const suites: (Applied | NotApplied)[] = []
  if (adapter) suites.push({ suite: 'providerSuite', run: t => providerSuite(t, adapter) })
  if (answers)
    suites.push({
      suite: 'answeringSuite',
      run: t => loaded.forEach(provider => answeringSuite(named(t, provider.id, loaded.length), { provider, ...answers })),
    })
  if (retrieval)
    suites.push({
      suite: 'retrievalSuite',
      run: t => loaded.forEach(provider => retrievalSuite(named(t, provider.id, loaded.length), { provider, ...retrieval })),
    })
  const use = madeBy(subject)
  // The usual name of the option: docs/plugins.md#a-provider.
  if ('baseUrl' in use.plugin.options.properties) {
    const plugin = (baseUrl: string): PluginUse => ({ ...use, options: { ...use.options, baseUrl } })
    const options = { ...pluginOptions(subject), plugin, ...(model !== undefined && { model }) }
    suites.push({ suite: 'vendorSuite', run: t => vendorSuite(t, options) })
  }
  if (adapter || answers || retrieval) return suites
  return [...suites, { suite: 'providerSuite', reason: 'give `inputs.Providers` with `adapter`, `answers` or `retrieval`' }]
}

/** Puts the name of the contribution before that of a test, if there are several. */
function named(t: SuiteContext, name: string, count: number): SuiteContext {
  return count === 1 ? t : { test: (title, run) => t.test(`${name}: ${title}`, run) }
}
