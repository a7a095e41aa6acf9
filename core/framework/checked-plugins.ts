import { contractProblem, tokenProblem } from './contract-versions.ts'
import { PluginError } from '../foundation/errors.ts'
import { isObject } from '../foundation/json.ts'
import { nameProblem, notAPlugin } from './not-a-plugin.ts'
import { notOptions } from './not-options.ts'
import { knownPlugins, placeOf, type OptionPlaces } from './option-places.ts'
import { apiVersion, type OptionsSchema, type PluginDefinition, type PluginUse } from './plugin.ts'
import { settleServices } from './services.ts'
import { thrownMessage } from '../foundation/thrown-message.ts'
import { currentToken, type Token } from '../foundation/token.ts'
import { notAService, pointName } from './wrong-place.ts'
import { lazyValidator } from '../validation/lazy-validator.ts'
import { optionProblems } from '../validation/option-problems.ts'
import type { SchemaRules, Validator } from '../validation/schema-rules.ts'

/** A plugin with valid options, defaults filled in. */
export interface CheckedPlugin {
  readonly name: string
  readonly plugin: PluginDefinition
  readonly options: object
  /** The services that it provides here. */
  readonly provides: readonly Token<any>[]
  /** The services in `provides`, and those that it would provide if no other plugin did. */
  readonly offers: readonly Token<any>[]
  /** True for an entry of `defaults()`. */
  readonly isDefault: boolean
  /** The preset that lists it. */
  readonly from?: string
  /** The options as the config gives them. */
  readonly given: object
  /** Where the config lists it. */
  readonly origin?: PluginUse['origin']
}

/** Checks every plugin's options, and reports all problems at once. */
export function check(uses: readonly PluginUse[], places: OptionPlaces = { plugins: knownPlugins(uses) }): CheckedPlugin[] {
  const problems: PluginError[] = []
  const checked = uses.map((use, index): CheckedPlugin | undefined => {
    const place = `#${index + 1} in \`plugins\``
    if (use?.apiVersion !== apiVersion || typeof use.plugin !== 'object' || use.plugin === null) {
      problems.push(new PluginError(place, notAPlugin(use)))
      return undefined
    }
    const { name, setup } = use.plugin
    const named = nameProblem(name)
    const problem = named ?? (typeof setup === 'function' ? contractProblem(use.plugin) : 'needs `setup`: a function')
    if (problem !== undefined) {
      problems.push(new PluginError(named === undefined ? name : place, problem))
      return undefined
    }
    try {
      return complete(use, places)
    } catch (error) {
      problems.push(error as PluginError)
      return undefined
    }
  })
  if (problems.length === 1) throw problems[0]
  if (problems.length > 1) throw new AggregateError(problems, problems.map(problem => problem.message).join('\n'))
  return settleServices(checked.filter(plugin => plugin !== undefined))
}

/** Fills in the defaults of one plugin's options, or throws a `PluginError`. */
function complete({ plugin, options: given, isDefault = false, from, origin }: PluginUse, places: OptionPlaces): CheckedPlugin {
  const { name } = plugin
  const wrong = notOptions(given)
  if (wrong !== undefined) throw new PluginError(name, wrong)
  const options = structuredClone(given)
  const validate = validatorOf(plugin)
  if (!validate(options)) {
    const formats = { uri: 'a URL that starts with http:// or https://' }
    const elsewhere = (option: string): string | undefined => {
      const own = plugin.setElsewhere?.[option]
      return own === undefined ? placeOf(option, name, places) : `set ${own} in the config instead`
    }
    const found = optionProblems(validate.errors!, plugin.options, { formats, elsewhere })
    const place = origin?.line === undefined ? '' : ` (${origin.file}:${origin.line})`
    throw new PluginError(name, `has bad options${place}: ${found.join('; ')}`)
  }
  try {
    const instance = plugin.instance?.(options)
    const provides = servicesOf(plugin, 'provides', options)
    const offers = [...provides, ...servicesOf(plugin, 'offers', options)]
    return {
      name: instance === undefined ? name : `${name}(${instance})`,
      plugin,
      options,
      provides,
      offers,
      isDefault,
      given,
      ...(from !== undefined && { from }),
      ...(origin && { origin }),
    }
  } catch (cause) {
    if (cause instanceof PluginError) throw cause
    throw new PluginError(name, `failed to read its options: ${thrownMessage(cause)}`, { cause })
  }
}

function servicesOf(plugin: PluginDefinition, member: 'provides' | 'offers', options: object): readonly Token<any>[] {
  const declared = plugin[member]
  const services: unknown = typeof declared === 'function' ? declared(options) : (declared ?? [])
  if (!Array.isArray(services)) throw new PluginError(plugin.name, notAService(member, services))
  const wrong = services.findIndex(service => typeof service !== 'symbol' || pointName(service) !== undefined)
  if (wrong >= 0) throw new PluginError(plugin.name, notAService(`${member}[${wrong}]`, services[wrong]))
  const otherVersion = (services as readonly Token<any>[]).map(tokenProblem).find(problem => problem !== undefined)
  if (otherVersion !== undefined) throw new PluginError(plugin.name, otherVersion)
  return (services as readonly Token<any>[]).map(currentToken)
}

const optionRules: SchemaRules = {
  name: 'options',
  options: { allErrors: true, useDefaults: true, strict: true, allowUnionTypes: true },
  formats: { uri: { type: 'string', validate: (text: string) => /^https?:/.test(text) && URL.canParse(text) } },
}

/** Compiling takes longer than all else of a check, and a plugin is checked again at every reload and in every instance. */
const validators = new WeakMap<object, Validator>()

function validatorOf({ name, options }: PluginDefinition): Validator {
  const { type, additionalProperties, properties } = (options ?? {}) as Partial<OptionsSchema>
  if (type !== 'object' || additionalProperties !== false || !isObject(properties))
    throw new PluginError(
      name,
      "needs a closed JSON Schema in `options`: { type: 'object', additionalProperties: false, properties: { … } }",
    )
  const known = validators.get(options!)
  if (known) return known
  try {
    const validator = lazyValidator(options!, optionRules)()
    validators.set(options!, validator)
    return validator
  } catch (cause) {
    throw new PluginError(name, `has an invalid JSON Schema in \`options\`: ${thrownMessage(cause)}`, { cause })
  }
}
