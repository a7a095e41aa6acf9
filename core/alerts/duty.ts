import type { AlertNote, AlertStore } from '../contracts/alert.ts'

const prefix = 'duty/'
/** If the process that has it dies, another takes it after so long. */
const takenMs = 10 * 60_000

/** Something that one of the processes does every so often. */
export interface Duty {
  readonly name: string
  readonly everyMs: number
  run(): Promise<void>
}

/** Shares duties out among the processes that share a store. */
export class Duties {
  readonly #store: AlertStore
  readonly #duties: readonly Duty[]

  constructor(store: AlertStore, duties: readonly Duty[]) {
    this.#store = store
    this.#duties = duties
  }

  /** Does what is due and nobody else does. Throws the first failure at the end: then that duty is due again a little later. */
  async check(): Promise<void> {
    const now = await this.#store.now()
    const notes = new Map((await this.#store.notes(prefix)).map(note => [note.name, note]))
    const failures: unknown[] = []
    for (const duty of this.#duties) {
      const note = notes.get(`${prefix}${duty.name}`)
      if (note && dueAt(note) > now) continue
      try {
        await this.#run(duty, note?.version, now)
      } catch (error) {
        failures.push(error)
      }
    }
    if (failures.length > 0) throw failures[0]
  }

  async #run({ name, everyMs, run }: Duty, version: number | undefined, now: number): Promise<void> {
    const noteName = `${prefix}${name}`
    if (!(await this.#store.change(noteName, version, { due_at: now + takenMs }))) return
    await run()
    await this.#store.change(noteName, (version ?? 0) + 1, { due_at: now + everyMs })
  }
}

function dueAt({ value }: AlertNote): number {
  const at = value['due_at']
  return typeof at === 'number' ? at : 0
}
