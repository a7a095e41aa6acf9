import type { Model } from '../../../core/index.ts'
import { modelSummary } from './model.ts'

/** The list as JSON, written once for each state of the catalog: it has thousands of entries. */
export class ModelList {
  #models: readonly Model[] | undefined
  #body = ''

  of(models: readonly Model[]): string {
    if (models !== this.#models) {
      this.#models = models
      this.#body = JSON.stringify({ object: 'list', data: models.map(modelSummary) })
    }
    return this.#body
  }
}
