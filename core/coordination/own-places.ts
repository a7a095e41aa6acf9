import { randomUUID } from 'node:crypto'
import type { PlaceChange, PlaceClaim } from '../contracts/coordination.ts'

interface OwnPlace extends Omit<PlaceChange, 'isHeld'> {
  /** False while only this process knows of it. */
  isKnown: boolean
}

/** The places that this process has. */
export class OwnPlaces {
  readonly #change: (change: PlaceChange) => void
  readonly #process = randomUUID()
  readonly #buckets = new Map<string, Set<OwnPlace>>()
  #made = 0

  /** `change`: tells the service. */
  constructor(change: (change: PlaceChange) => void) {
    this.#change = change
  }

  claimOf({ bucket, limit }: Omit<PlaceClaim, 'place'>): PlaceClaim {
    return { bucket, limit, place: this.#newName() }
  }

  /** Keeps a place that was claimed. Call the returned function to give it back. */
  keep(group: string, { bucket, place }: Omit<PlaceClaim, 'limit'>): () => void {
    return this.#hold({ group, bucket, place, isKnown: true })
  }

  /** Takes a place without asking the service. */
  enter(group: string, bucket: string): () => void {
    return this.#hold({ group, bucket, place: this.#newName(), isKnown: false })
  }

  countOf(bucket: string): number {
    return this.#buckets.get(bucket)?.size ?? 0
  }

  /** Tells the service of every place. */
  tell(): void {
    for (const places of this.#buckets.values())
      for (const place of places) {
        place.isKnown = true
        this.#send(place, true)
      }
  }

  #hold(place: OwnPlace): () => void {
    const { bucket } = place
    const places = this.#buckets.get(bucket) ?? new Set()
    this.#buckets.set(bucket, places.add(place))
    return () => {
      if (!places.delete(place)) return
      if (places.size === 0 && this.#buckets.get(bucket) === places) this.#buckets.delete(bucket)
      if (place.isKnown) this.#send(place, false)
    }
  }

  #send({ group, bucket, place }: OwnPlace, isHeld: boolean): void {
    this.#change({ group, bucket, place, isHeld })
  }

  #newName(): string {
    return `${this.#process}.${(++this.#made).toString(36)}`
  }
}
