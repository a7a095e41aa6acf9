import type { Capabilities, Price } from '../../core/index.ts'

/** What one source says of one model at one provider. Absent is unknown. */
export interface Listing {
  /** The provider's slug here. */
  readonly provider: string
  /** The name that the provider is asked for. */
  readonly wire: string
  readonly title?: string | undefined
  readonly contextWindow?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly price?: Price | undefined
  readonly capabilities: Capabilities
  /** Whether a model that reasons can be told not to. */
  readonly rests?: boolean | undefined
  readonly family?: string | undefined
  /** How able the model is in general, as a published index: higher is abler. */
  readonly ability?: number | undefined
  readonly deprecated?: true | undefined
  /** Other names that the provider bills as the same model. */
  readonly alsoBilledAs?: readonly string[] | undefined
}

/** A price of nothing is one that the source does not know, unless the name says that it is free. */
export function knownPrice(price: Price, wire: string): Price | undefined {
  if (price.input > 0 || price.output > 0) return price
  return /[:-]free$/.test(wire) ? price : undefined
}

/** As it was published, before somebody multiplied it. */
export function exact(usd: number): number {
  return Number(usd.toPrecision(9))
}

export function positive(value: number | null | undefined): number | undefined {
  return value ? value : undefined
}

/** Without the members that are undefined, so that spreading one over another replaces only what is known. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
