/** US dollars for people: cents, or more digits for small amounts. */
export function usdText(usd: number): string {
  return Math.abs(usd) >= 1 || usd === 0 ? usd.toFixed(2) : String(Number(usd.toPrecision(3)))
}

/** A length of time for people, in its largest unit. */
export function durationText(ms: number): string {
  const [unit, length] = units.find(([, each]) => ms >= each) ?? (['second', 1_000] as const)
  const count = Math.max(1, Math.round(ms / length))
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A share as whole percent, or with a digit below ten. */
export function percentText(share: number): string {
  const percent = share * 100
  return `${percent >= 10 ? Math.round(percent) : Number(percent.toFixed(1))}%`
}

/** A list for people that is not long. */
export function listText(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most)
  const more = names.length - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}
