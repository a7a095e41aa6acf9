import type { Model } from '../../../core/index.ts'
import { modelSummary } from './model.ts'
import { usableOf, type IsUsable } from './usable.ts'

/** The list as JSON. There can be thousands of entries, so each is stringified once per state of the catalog. */
export class ModelList {
  #models: readonly Model[] | undefined
  #entries: readonly string[] = []
  #whole = ''

  /** The models that the caller may use. */
  of(models: readonly Model[], isUsable: IsUsable): string {
    if (models !== this.#models) {
      this.#models = models
      this.#entries = models.map(model => JSON.stringify(modelSummary(model)))
      this.#whole = listOf(this.#entries)
    }
    const entries = this.#entries.filter((_, index) => usableOf(models[index]!.endpoints, isUsable).length > 0)
    return entries.length === this.#entries.length ? this.#whole : listOf(entries)
  }
}

function listOf(entries: readonly string[]): string {
  return `{"object":"list","data":[${entries.join()}]}`
}
