import type { NamedEndpoint } from '../../../core/kit.ts'

/** The dialect of a deployment. */
export const apis = ['responses', 'chat', 'anthropic'] as const
export type Api = (typeof apis)[number]

export interface Deployment {
  readonly name: string
  readonly api: Api
  /** A date selects the classic per-deployment addresses. Without one, or with `preview`: the v1 API. */
  readonly apiVersion: string | undefined
}

export interface DeploymentsOptions {
  /** By model name: the deployment's name, or its settings. */
  readonly deployments?: Readonly<Record<string, string | Partial<Described>>> | undefined
  readonly api?: Api | undefined
  readonly apiVersion?: string | undefined
}

interface Described {
  readonly deployment: string
  readonly api: Api
  readonly apiVersion: string
}

/** Finds the deployment that serves a model. A model that is not listed has a deployment with its own name. */
export class Deployments {
  readonly #options: DeploymentsOptions
  readonly #known: ReadonlyMap<string, Deployment>

  constructor(options: DeploymentsOptions) {
    this.#options = options
    this.#known = new Map(
      Object.entries(options.deployments ?? {}).map(([model, given]) => {
        const { deployment = model, api, apiVersion } = typeof given === 'string' ? { deployment: given } : given
        return [model, this.#deployment(deployment, api ?? options.api ?? apiOf(model) ?? apiOf(deployment), apiVersion)]
      }),
    )
  }

  /** The listed deployments, by model name. */
  get listed(): ReadonlyMap<string, Deployment> {
    return this.#known
  }

  of({ model, upstreamModel }: NamedEndpoint): Deployment {
    const known = this.#known.get(model) ?? this.#known.get(upstreamModel)
    return known ?? this.#deployment(upstreamModel, this.#options.api ?? apiOf(model) ?? apiOf(upstreamModel), undefined)
  }

  /** The dialect of all deployments. Undefined if there may be several. */
  get onlyApi(): Api | undefined {
    const { api } = this.#options
    return Array.from(this.#known.values()).every(deployment => deployment.api === api) ? api : undefined
  }

  #deployment(name: string, api: Api | undefined, apiVersion: string | undefined): Deployment {
    return { name, api: api ?? 'chat', apiVersion: apiVersion ?? this.#options.apiVersion }
  }
}

/** All but the oldest OpenAI models support Responses. Of other makers' models, only Claude has its own dialect. */
function apiOf(model: string): Api | undefined {
  if (/claude/i.test(model)) return 'anthropic'
  return isOpenai(model) && !/gpt-(3|4(-32k|-turbo)?(-\d|$))/i.test(model) ? 'responses' : undefined
}

export function isOpenai(model: string): boolean {
  return /(^|[^a-z])(gpt-\d|o\d|codex|chatgpt|computer-use)/i.test(model)
}
