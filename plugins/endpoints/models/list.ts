import type { Model } from '../../../core/index.ts'
import { mayChooseAuto, modelSummary, summaryOfAuto } from './model.ts'
import { usableOf, type IsUsable } from './usable.ts'

const auto = JSON.stringify(summaryOfAuto)

/** The list as JSON. There can be thousands of entries, so each is stringified once per state of the catalog. */
export class ModelList {
  #models: readonly Model[] | undefined
  #entries: readonly string[] = []
  /** Everything, `auto` included: what most keys get. */
  #whole = ''

  /** The models that the caller may use, at most `limit`. `auto` comes first if it could choose one of them. */
  of(models: readonly Model[], isUsable: IsUsable, limit: number): string {
    if (models !== this.#models) {
      this.#models = models
      this.#entries = models.map(model => JSON.stringify(modelSummary(model)))
      this.#whole = listOf([auto, ...this.#entries])
    }
    const usable = this.#entries.filter((_, index) => usableOf(models[index]!.endpoints, isUsable).length > 0)
    const hasAuto = mayChooseAuto(models, isUsable)
    if (hasAuto && limit === Infinity && usable.length === this.#entries.length) return this.#whole
    return listOf((hasAuto ? [auto, ...usable] : usable).slice(0, limit))
  }
}

function listOf(entries: readonly string[]): string {
  return `{"object":"list","data":[${entries.join()}]}`
}
