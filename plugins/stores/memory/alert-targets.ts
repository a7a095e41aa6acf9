import type { AlertTarget, AlertTargetChange, AlertTargetStore, PageQuery } from '../../../core/stores.ts'
import { compared, pageOf } from './page.ts'

export class MemoryAlertTargets implements AlertTargetStore {
  readonly #targets = new Map<string, AlertTarget>()

  add(target: AlertTarget, most: number): boolean {
    if (this.#of(target.org).length >= most) return false
    this.#targets.set(target.id, target)
    return true
  }

  find(id: string): AlertTarget | undefined {
    return this.#targets.get(id)
  }

  page(org: string | undefined, query: PageQuery): readonly AlertTarget[] {
    return pageOf(
      this.#of(org).toSorted((a, b) => compared(positionOf(a), positionOf(b))),
      positionOf,
      query,
    )
  }

  update(id: string, change: (current: AlertTarget) => AlertTargetChange): AlertTarget | undefined {
    const current = this.#targets.get(id)
    if (!current) return undefined
    const changed = { ...current, ...change(current) }
    this.#targets.set(id, changed)
    return changed
  }

  remove(id: string): boolean {
    return this.#targets.delete(id)
  }

  #of(org: string | undefined): readonly AlertTarget[] {
    return [...this.#targets.values()].filter(target => org === undefined || target.org === org)
  }
}

function positionOf({ createdAt, id }: AlertTarget): { readonly at: number; readonly id: string } {
  return { at: createdAt, id }
}
