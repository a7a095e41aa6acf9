/** Whole nano-dollars: sums of fractions would drift. */
export function nanoDollars(usd: number): number {
  if (!(usd >= 0)) throw new RangeError(`expected an amount in US dollars of 0 or more, got ${usd}`)
  return Math.round(usd * 1e9)
}
