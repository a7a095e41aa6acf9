/** The middle of some measurements. NaN if there are none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const below = sorted[Math.floor(place)] ?? Number.NaN
  const above = sorted[Math.ceil(place)] ?? Number.NaN
  return below + (above - below) * (place % 1)
}

/** How far the middle half of the measurements reaches from the median, as a share of it. */
export function spread(values: readonly number[]): number {
  return (quantile(values, 0.75) - quantile(values, 0.25)) / 2 / median(values)
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits))
}

export function groups<T>(all: readonly T[], by: (each: T) => string): readonly (readonly T[])[] {
  return [...Map.groupBy(all, by).values()]
}
