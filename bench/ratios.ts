import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { rounded } from './statistics.ts'
import type { Verdict } from './verdicts.ts'

const path = fileURLToPath(new URL('ratios.json', import.meta.url))
/** The variation from run to run on an idle machine. */
const tolerance = 0.15

/** Saves what later runs are compared with. Targets that this run did not measure keep their value. */
export function writeRatios(verdicts: readonly Verdict[]): void {
  const measured = Object.fromEntries(verdicts.map(({ target, value }) => [target, rounded(value, 3)]))
  writeFileSync(path, `${JSON.stringify({ ...committed(), ...measured }, undefined, 2)}\n`)
  console.log(path)
}

/** Names what costs more than the committed ratios say. Returns whether nothing does. */
export function compareRatios(verdicts: readonly Verdict[]): boolean {
  const before = committed()
  const compared = verdicts.filter(({ target }) => before[target] !== undefined)
  if (compared.length === 0) throw new Error(`${path} has none of the ratios of this run. Write them with --ratios.`)
  const risen = risenAbove(before, compared)
  console.log(`\n${compared.length} ratios compared with bench/ratios.json; ${risen.length} rose by more than ${tolerance * 100}%`)
  for (const line of risen) console.log(`ROSE    ${line}`)
  return risen.length === 0
}

/** One line per target that rose by more than runs differ. Those that were not measured before are left out. */
export function risenAbove(before: Readonly<Record<string, number>>, verdicts: readonly Verdict[]): readonly string[] {
  return verdicts.flatMap(({ target, value }) => {
    const was = before[target]
    if (was === undefined || value <= was * (1 + tolerance)) return []
    const change = was > 0 ? `, ${rounded((value / was - 1) * 100, 0)}% more` : ''
    return [`${target}: ${rounded(value, 3)}, was ${was}${change}`]
  })
}

function committed(): Readonly<Record<string, number>> {
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as Record<string, number>) : {}
}
