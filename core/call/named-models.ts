import type { RecordFacts } from '../contracts/record-store.ts'

const maxOfOrganization = 100

/** A model at a provider, as an organization asked for it. */
export interface UnlistedModel {
  /** The organization that asked for it. */
  readonly org: string
  /** The id of the provider. */
  readonly provider: string
  /** The vendor's name of the model. */
  readonly model: string
}

/** The models that no catalog lists and that usage still names: the first hundred of each organization. */
export class NamedModels {
  readonly #byOrg = new Map<string, Set<string>>()

  /** True if usage names the model. */
  readonly has = (org: string, provider: string, model: string): boolean => this.#byOrg.get(org)?.has(nameOf(provider, model)) ?? false

  /** True if no more models of the organization are kept. */
  isFull(org: string): boolean {
    return (this.#byOrg.get(org)?.size ?? 0) >= maxOfOrganization
  }

  /** False if the model is named already, or if the organization has its hundred. */
  add({ org, provider, model }: UnlistedModel): boolean {
    if (this.isFull(org) || this.has(org, provider, model)) return false
    const names = this.#byOrg.get(org)
    if (names) names.add(nameOf(provider, model))
    else this.#byOrg.set(org, new Set([nameOf(provider, model)]))
    return true
  }

  /** A copy with these. */
  with(models: readonly UnlistedModel[]): NamedModels {
    const copy = new NamedModels()
    for (const [org, names] of this.#byOrg) copy.#byOrg.set(org, new Set(names))
    for (const model of models) copy.add(model)
    return copy
  }

  /** The models in these records that want a name and may still get one, each once. Those that their vendor does not have want none. */
  wantedBy(records: readonly RecordFacts[]): readonly UnlistedModel[] {
    const wanted = new Map<string, UnlistedModel>()
    for (const { org: ofKey, attempts } of records) {
      for (const { listed, outcome, provider, model } of attempts) {
        if (listed !== false || outcome === 'not-found') continue
        const org = ofKey ?? ''
        if (!this.isFull(org) && !this.has(org, provider, model))
          wanted.set(JSON.stringify([org, provider, model]), { org, provider, model })
      }
    }
    return [...wanted.values()]
  }
}

function nameOf(provider: string, model: string): string {
  return `${provider}/${model}`
}
