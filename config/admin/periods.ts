import { InvalidArgumentError } from 'commander'

const units = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const

/** For an option: `30m` as the time half an hour ago, in milliseconds since the epoch. */
export function timeSince(text: string): number {
  const [, amount, unit] = /^(\d+(?:\.\d+)?)([smhdw])$/.exec(text) ?? []
  const ms = Number(amount) * units[unit as keyof typeof units]
  if (amount === undefined || !(ms > 0 && ms <= Date.now()))
    throw new InvalidArgumentError('Expected a number and a unit, such as 30m, 2h or 3d.')
  return Date.now() - ms
}

/** For an option that may be repeated: `elapsed_ms=1000`. The admin API knows the names. */
export function bound(text: string, before: readonly string[] = []): readonly string[] {
  if (!/^\w+=\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a name and a number, such as elapsed_ms=1000.')
  return [...before, text]
}
