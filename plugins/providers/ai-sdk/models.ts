import { PluginError, ProviderFailure, type ApiKeys, type JsonObject, type Registrar } from '../../../core/index.ts'
import { fetchThrough } from './fetch.ts'
import { versions, type LanguageModel } from './specification.ts'

export interface ModelOptions {
  readonly package: string
  readonly method: string
  readonly baseUrl?: string | undefined
  readonly settings?: JsonObject | undefined
  readonly timeouts?: { readonly connectMs?: number | undefined } | undefined
}

type Make = (name: string) => unknown

/** The package's models: a provider of its for each key, made at start. */
export class Models {
  readonly #plugin: string
  readonly #options: ModelOptions
  readonly #makers = new Map<string | undefined, Make>()

  constructor(gateway: Registrar, keys: ApiKeys, exported: unknown, options: ModelOptions) {
    this.#plugin = gateway.name
    this.#options = options
    const { baseUrl, settings, timeouts } = options
    if (isReady(exported, options.method)) {
      if (keys.credentials || baseUrl !== undefined || settings)
        throw this.#problem('exports a ready provider, which takes no apiKey, baseUrl and settings: set it up where it is made')
      this.#makers.set(undefined, this.#makerOf(exported))
    } else {
      const shared = {
        fetch: fetchThrough(gateway.http, timeouts?.connectMs),
        ...settings,
        ...(baseUrl !== undefined && { baseURL: baseUrl }),
      }
      for (const id of keys.credentials?.map(credential => credential.id) ?? [undefined]) {
        const apiKey = keys.secret(id)
        this.#makers.set(id, this.#makerOf(this.#provider(exported, { ...shared, ...(apiKey !== undefined && { apiKey }) })))
      }
    }
    for (const make of this.#makers.values()) this.#probe(make)
  }

  model(name: string, credentialId: string | undefined): LanguageModel {
    const model = this.#makers.get(credentialId)!(name)
    const problem = problemWith(model)
    if (problem) throw new ProviderFailure({ kind: 'protocol', message: `The package of this provider ${problem}.` })
    return model as LanguageModel
  }

  #provider(factory: unknown, settings: JsonObject): unknown {
    if (typeof factory !== 'function') throw this.#problem('exports neither a provider nor a function that makes one under that name')
    try {
      return factory(settings) as unknown
    } catch (cause) {
      throw new PluginError(this.#plugin, `cannot set up ${this.#options.package}: ${(cause as Error).message}`, { cause })
    }
  }

  #makerOf(provider: unknown): Make {
    const { method } = this.#options
    const own = memberOf(provider, method)
    if (typeof own === 'function') return name => own.call(provider, name) as unknown
    if (typeof provider === 'function' && method === 'languageModel') return name => provider(name) as unknown
    throw this.#problem(`makes a provider without the method "${method}": name another in the option method`)
  }

  /** Making a model asks nobody. A provider that knows its models by name refuses; its models are looked at when they are asked. */
  #probe(make: Make): void {
    let model: unknown
    try {
      model = make('any')
    } catch {
      return
    }
    const problem = problemWith(model)
    if (problem) throw this.#problem(problem)
  }

  #problem(problem: string): PluginError {
    return new PluginError(this.#plugin, `cannot use ${this.#options.package}: it ${problem}`)
  }
}

function isReady(exported: unknown, method: string): boolean {
  return typeof memberOf(exported, 'languageModel') === 'function' || typeof memberOf(exported, method) === 'function'
}

function problemWith(model: unknown): string | undefined {
  const version = memberOf(model, 'specificationVersion')
  if (typeof memberOf(model, 'doStream') !== 'function') return 'makes no language model by that method: name another in the option method'
  if (versions.some(known => known === version)) return undefined
  return `makes models of the specification ${JSON.stringify(version)}, and ${versions.join(', ')} are known: install a release of the package that has one of them`
}

function memberOf(value: unknown, name: string): unknown {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? (value as JsonObject)[name] : undefined
}
