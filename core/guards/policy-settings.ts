import pTimeout from 'p-timeout'
import type { Guardrail, SettingsProblem } from '../contracts/guardrail.ts'
import { policyFields, type PolicyField } from '../contracts/policy.ts'
import { GatewayError, invalidRequest, PluginError } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { isObject, type JsonObject } from '../foundation/json.ts'
import { wire } from '../framework/container.ts'
import { Guardrails } from '../framework/extension-points.ts'
import type { Registry } from '../framework/registry.ts'

/** A change of a policy: null removes a field. */
export type PolicyWithSettings = { readonly [F in PolicyField]?: { readonly settings?: JsonObject } | null }

/** Asks the guardrails whether they can use the settings of a policy, so that no request has to fail because of them. */
export class PolicySettings {
  readonly #guardrails: Registry<Guardrail>

  static {
    wire(this, [Guardrails])
  }

  constructor(guardrails: Registry<Guardrail>) {
    this.#guardrails = guardrails
  }

  /** Throws a 400 that names the member. */
  async check(policy: PolicyWithSettings): Promise<void> {
    for (const field of policyFields) {
      const settings = policy[field]?.settings
      if (settings !== undefined) await this.#check(field, settings)
    }
  }

  async #check(field: PolicyField, settings: JsonObject): Promise<void> {
    const place = `policy.${field}.settings`
    const checking = this.#guardrails.values().filter(each => each.enforces.includes(field) && each.settingsProblem)
    if (checking.length === 0)
      throw invalidRequest(
        wording`No loaded guardrail accepts settings for "${own(field)}". Load the plugin that does, or leave out '${own(place)}'.`,
        place,
      )
    for (const guardrail of checking) {
      const problem = await this.#ask(guardrail, field, settings)
      if (!problem) continue
      const { path, message } = problem
      throw invalidRequest(
        wording`The guardrail "${own(guardrail.name)}" cannot use '${own(place)}'. ${message}`,
        path === '' ? place : `${place}.${path}`,
      )
    }
  }

  async #ask(guardrail: Guardrail, field: PolicyField, settings: JsonObject): Promise<SettingsProblem | undefined> {
    const plugin = this.#guardrails.pluginOf(guardrail.name) ?? guardrail.name
    const ask = async (): Promise<unknown> => await guardrail.settingsProblem!(field, settings)
    try {
      const problem = await pTimeout(ask(), {
        milliseconds: guardrail.timeoutMs,
        message: new PluginError(plugin, `took longer than ${guardrail.timeoutMs} ms`),
      })
      if (problem === undefined || isProblem(problem)) return problem
      throw new PluginError(plugin, 'returned something else from settingsProblem: expected { path, message } or undefined')
    } catch (cause) {
      const message = wording`The guardrail "${own(guardrail.name)}" failed to check 'policy.${own(field)}.settings', so nothing was changed.`
      throw new GatewayError({ status: 500, type: 'server_error', code: 'server_error', message, cause })
    }
  }
}

function isProblem(value: unknown): value is SettingsProblem {
  return isObject(value) && typeof value['path'] === 'string' && typeof value['message'] === 'string'
}
