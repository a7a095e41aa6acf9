import type { Endpoint, JsonObject, Model } from '../../../core/index.ts'
import { nextTurn } from '../../../core/stores.ts'
import { unknownCursor } from './limit.ts'
import type { IsUsable } from './usable.ts'

const entriesPerSlice = 200

/** The form of a list in one API. */
export interface ListForm {
  /** `endpoint`: the first one of the model that the caller may use. */
  entry(model: Model, endpoint: Endpoint): JsonObject
  readonly auto: JsonObject
  /** False for endpoints whose models the list leaves out. */
  lists(endpoint: Endpoint): boolean
  /** The whole body, as JSON. `entries` are JSON, too. */
  body(page: Page): string
}

export interface Page {
  readonly entries: readonly string[]
  readonly firstId: string | null
  readonly lastId: string | null
  readonly hasMore: boolean
}

/** The entries after or before one of them, which is named by its id. */
export interface Cut {
  readonly limit: number
  readonly after?: { readonly parameter: string; readonly id: string } | undefined
  readonly before?: { readonly parameter: string; readonly id: string } | undefined
}

/** A model that the caller may use. Undefined for `auto`. */
interface Listed {
  readonly model: Model
  readonly endpoint: Endpoint
}

/** A list in one form. There can be thousands of entries, so each is stringified once per state of the catalog. */
export class ModelList {
  readonly #form: ListForm
  readonly #auto: string
  #models: readonly Model[] | undefined
  #entries = new Map<Endpoint, string>()

  constructor(form: ListForm) {
    this.#form = form
    this.#auto = JSON.stringify(form.auto)
  }

  /** The models that the caller may use. `auto` comes first if it could choose one of them. Throws a 400 for an unknown id. */
  async of(models: readonly Model[], isUsable: IsUsable, cut: Cut): Promise<string> {
    if (models !== this.#models) {
      this.#models = models
      this.#entries = new Map()
    }
    const listed: (Listed | undefined)[] = mayChooseAuto(models, isUsable) ? [undefined] : []
    for (const model of models) {
      const endpoint = model.endpoints.find(each => this.#form.lists(each) && isUsable(each))
      if (endpoint) listed.push({ model, endpoint })
    }
    const [start, end] = rangeOf(listed, cut)
    const page = listed.slice(start, end)
    return this.#form.body({
      entries: await this.#texts(page),
      firstId: page.length > 0 ? idOf(page[0]) : null,
      lastId: page.length > 0 ? idOf(page.at(-1)) : null,
      hasMore: cut.before ? start > 0 : end < listed.length,
    })
  }

  /** Stringifies in slices: all at once would block the event loop. */
  async #texts(page: readonly (Listed | undefined)[]): Promise<readonly string[]> {
    const entries = this.#entries
    const texts: string[] = []
    let fresh = 0
    for (const listed of page) {
      let text = listed ? entries.get(listed.endpoint) : this.#auto
      if (text === undefined) {
        const { model, endpoint } = listed!
        entries.set(endpoint, (text = JSON.stringify(this.#form.entry(model, endpoint))))
        if (++fresh % entriesPerSlice === 0) await nextTurn()
      }
      texts.push(text)
    }
    return texts
  }
}

/** True if `auto` has an endpoint to choose from. */
export function mayChooseAuto(models: readonly Model[], isUsable: IsUsable): boolean {
  return models.some(({ auto, endpoints }) => auto && endpoints.some(endpoint => !endpoint.kind && isUsable(endpoint)))
}

function rangeOf(listed: readonly (Listed | undefined)[], { limit, after, before }: Cut): readonly [start: number, end: number] {
  const at = ({ parameter, id }: NonNullable<Cut['after']>): number => {
    const index = listed.findIndex(each => idOf(each) === id)
    if (index < 0) throw unknownCursor(parameter, id)
    return index
  }
  if (before) {
    const end = at(before)
    return [Math.max(0, end - limit), end]
  }
  const start = after ? at(after) + 1 : 0
  return [start, Math.min(start + limit, listed.length)]
}

function idOf(listed: Listed | undefined): string {
  return listed?.model.id ?? 'auto'
}
