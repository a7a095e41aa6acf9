interface Call {
  readonly id: string
  readonly name: string
  isAnswered: boolean
}

/**
 * The ids of calls. This API's own may lack them: then they are made of the call's place, so that a longer conversation has the same ones.
 * The provider of the same dialect takes such ids out again.
 */
export class CallIds {
  readonly #calls: Call[] = []
  readonly #taken = new Set<string>()
  /** The first call of the latest turn of the model. */
  #turn = 0

  beginTurn(): void {
    this.#turn = this.#calls.length
  }

  called(name: string, given: string | undefined): string {
    const id = given !== undefined && given !== '' && !this.#taken.has(given) ? given : `gemini_call_${this.#calls.length}`
    this.#taken.add(id)
    this.#calls.push({ id, name, isAnswered: false })
    return id
  }

  /**
   * The call that a response belongs to: by its id or, because clients make up ids that the calls do not have, by its name and in order.
   * Undefined if there is none.
   */
  answered(name: string, given: string | undefined): string | undefined {
    const isOpen = (call: Call): boolean => !call.isAnswered
    const call =
      this.#calls.findLast(each => isOpen(each) && given !== undefined && each.id === given) ??
      this.#calls.slice(this.#turn).find(each => isOpen(each) && each.name === name) ??
      this.#calls.find(each => isOpen(each) && each.name === name)
    if (call) call.isAnswered = true
    return call?.id
  }
}
