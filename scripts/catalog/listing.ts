import type { Capabilities, Price } from '../../core/index.ts'

/** One source's facts about one model at one provider. Absent means unknown. */
export interface Listing {
  /** The provider's slug in this project. */
  readonly provider: string
  /** The model name in requests to the provider. */
  readonly wire: string
  readonly title?: string | undefined
  readonly contextWindow?: number | undefined
  readonly maxOutputTokens?: number | undefined
  readonly price?: Price | undefined
  readonly capabilities: Capabilities
  /** True if reasoning can be turned off. */
  readonly rests?: boolean | undefined
  readonly family?: string | undefined
  /** A published index of the model's general capability. Higher is better. */
  readonly ability?: number | undefined
  readonly deprecated?: true | undefined
  /** Other names under which the provider bills the same model. */
  readonly alsoBilledAs?: readonly string[] | undefined
}

/** A price of zero means unknown, unless the name says that the model is free. */
export function knownPrice(price: Price, wire: string): Price | undefined {
  if (price.input > 0 || price.output > 0) return price
  return /[:-]free$/.test(wire) ? price : undefined
}

/** The published decimal, without floating-point noise from multiplication. */
export function exact(usd: number): number {
  return Number(usd.toPrecision(9))
}

export function positive(value: number | null | undefined): number | undefined {
  return value ? value : undefined
}

/** Drops undefined members, so that spreading one object over another replaces only known values. */
export function defined<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}
