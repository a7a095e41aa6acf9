import { PluginError, ProviderFailure, type JsonObject, type Registrar } from '../../../core/index.ts'
import type { ApiKeys } from '../../../core/kit.ts'
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

/** The package's models. Creates one of its providers per key at startup. */
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
        throw this.#problem('exports a ready provider, which does not take apiKey, baseUrl and settings: set them where you create it')
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
    if (typeof factory !== 'function') throw this.#problem('exports neither a provider nor a function that creates one under that name')
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
    throw this.#problem(`creates a provider without the method "${method}": set the option method`)
  }

  /** Checks a model at startup. Creating one makes no request. A provider that accepts only known names throws; then calls check its models. */
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
  if (typeof memberOf(model, 'doStream') !== 'function') return 'does not create a language model with that method: set the option method'
  if (versions.some(known => known === version)) return undefined
  return `creates models of specification ${JSON.stringify(version)}, but only ${versions.join(', ')} are supported: install another release of the package`
}

function memberOf(value: unknown, name: string): unknown {
  return (typeof value === 'object' && value !== null) || typeof value === 'function' ? (value as JsonObject)[name] : undefined
}
