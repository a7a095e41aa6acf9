import type { PlaceClaim } from '../contracts/coordination.ts'

/** The places that members have, by bucket. */
export class HeldPlaces {
  /** The member of each place, by bucket and place. */
  readonly #buckets = new Map<string, Map<string, string>>()
  /** The places of each member, with their buckets. */
  readonly #members = new Map<string, Map<string, string>>()

  /** True if there is a place left, or if this one is held already. */
  has({ bucket, limit, place }: PlaceClaim): boolean {
    const held = this.#buckets.get(bucket)
    return held === undefined ? limit > 0 : held.size < limit || held.has(place)
  }

  hold(bucket: string, place: string, member: string): void {
    const before = this.#buckets.get(bucket)?.get(place)
    if (before !== undefined && before !== member) this.free(bucket, place)
    entryOf(this.#buckets, bucket).set(place, member)
    entryOf(this.#members, member).set(place, bucket)
  }

  free(bucket: string, place: string): void {
    const held = this.#buckets.get(bucket)
    const member = held?.get(place)
    if (held === undefined || member === undefined) return
    held.delete(place)
    if (held.size === 0) this.#buckets.delete(bucket)
    const ofMember = this.#members.get(member)!
    ofMember.delete(place)
    if (ofMember.size === 0) this.#members.delete(member)
  }

  leave(member: string): void {
    for (const [place, bucket] of this.#members.get(member) ?? []) this.free(bucket, place)
  }
}

function entryOf(maps: Map<string, Map<string, string>>, name: string): Map<string, string> {
  let map = maps.get(name)
  if (!map) maps.set(name, (map = new Map()))
  return map
}
