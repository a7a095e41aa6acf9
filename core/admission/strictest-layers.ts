import { isDeepStrictEqual } from 'node:util'
import type { AccountPolicy } from '../contracts/account-store.ts'
import type { Guardrail } from '../contracts/guardrail.ts'
import { policyFields, type Level, type PolicyField } from '../contracts/policy.ts'
import { GatewayError, PluginError, policyRefusal } from '../foundation/errors.ts'
import { own, wording } from '../foundation/wording.ts'
import { freezeDeeply } from '../foundation/freeze.ts'
import { isPlainObject, type JsonObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { describePluginError, type Logger } from '../foundation/logger.ts'
import type { Registry } from '../framework/registry.ts'
import { copyOf } from './read-layer.ts'

type Setting = NonNullable<AccountPolicy[PolicyField]>

/** Makes one layer of those that several policy sources have for the same level. */
export class StrictestLayers {
  readonly #guardrails: Registry<Guardrail>
  readonly #log: Logger
  /** By the first of the layers, so that keys with the same layers share the result. */
  readonly #known = new WeakMap<AccountPolicy, { readonly layers: readonly AccountPolicy[]; readonly strictest: AccountPolicy }>()

  constructor(guardrails: Registry<Guardrail>, log: Logger) {
    this.#guardrails = guardrails
    this.#log = log
  }

  /** At least two layers, which are valid. Throws a 422 or 503 if their settings cannot be united. */
  of(level: Level, layers: readonly AccountPolicy[]): AccountPolicy {
    const known = this.#known.get(layers[0]!)
    if (known && known.layers.length === layers.length && known.layers.every((layer, index) => layer === layers[index]))
      return known.strictest
    const found = policyFields.map(field => [field, this.#setting(level, field, layers)] as const)
    const strictest: AccountPolicy = Object.fromEntries(found.filter(([, setting]) => setting !== undefined))
    this.#known.set(layers[0]!, { layers, strictest })
    return strictest
  }

  /** Settings that are not enforced have no effect above the key. */
  #setting(level: Level, field: PolicyField, layers: readonly AccountPolicy[]): Setting | undefined {
    const enforced = layers.map(layer => layer[field]).filter(setting => setting?.enforced === true) as readonly Setting[]
    if (enforced.length < 2) return enforced[0]
    const strict = field !== 'logging'
    const value = enforced.some(setting => setting.value === strict) ? strict : !strict
    const deciding = enforced.filter(setting => setting.value === value)
    const settings = this.#united(level, field, value, deciding)
    const isOwn = deciding.every(({ setBy }) => setBy === 'org')
    return { value, enforced: true, ...(settings && { settings }), ...(isOwn && { setBy: 'org' }) }
  }

  #united(level: Level, field: PolicyField, value: boolean, all: readonly Setting[]): JsonObject | undefined {
    const [{ settings: first }, ...others] = all as readonly [Setting, ...Setting[]]
    if (others.every(({ settings }) => isDeepStrictEqual(settings ?? {}, first ?? {}))) return first
    if (!value) return undefined
    const taking = this.#guardrails.values().filter(each => each.enforces.includes(field) && each.settingsProblem)
    const [guardrail] = taking
    if (taking.length !== 1 || !guardrail?.strictestSettings)
      throw policyRefusal(
        wording`Several policy sources of the ${own(level)} enforce "${own(field)}" with different settings, which no loaded guardrail can unite. Give them the same settings.`,
        level,
      )
    return this.#ask(guardrail, level, field, [first ?? {}, ...others.map(({ settings = {} }) => settings)])
  }

  #ask(guardrail: Guardrail, level: Level, field: PolicyField, settings: readonly JsonObject[]): JsonObject {
    const { name } = guardrail
    const plugin = this.#guardrails.pluginOf(name) ?? name
    try {
      const united: unknown = guardrail.strictestSettings!(field, settings)
      const copy = isPlainObject(united) && !isPending(united) ? copyOf(united) : undefined
      if (isPlainObject(copy)) return freezeDeeply(copy)
      if (isPending(united)) Promise.resolve(united).catch(() => {})
      throw new PluginError(plugin, 'returned something else from strictestSettings: expected an object of JSON')
    } catch (cause) {
      this.#log.error('a guardrail could not unite settings', {
        guardrail: name,
        plugin,
        policyLevel: level,
        field,
        ...describePluginError(cause, false),
      })
      const message = wording`The guardrail "${own(name)}" could not unite the settings of "${own(field)}". Try again.`
      throw new GatewayError({ status: 503, type: 'server_error', code: 'server_error', message, cause })
    }
  }
}
