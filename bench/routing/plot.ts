import { sharesOf } from './figures.ts'
import type { Run } from './report.ts'
import type { Scenario } from './world.ts'

const width = 760
const panelHeight = 150
const gap = 46
const left = 40
const colors = ['#3b6fb6', '#e08a2e', '#4f9d69', '#b65c7a', '#8172b3']

/** Each provider's share of the traffic over time, one panel per run, as SVG. */
export function plotOf(runs: readonly Run[], scenario: Scenario): string {
  const height = runs.length * (panelHeight + gap) + gap
  const panels = runs.map((run, index) => panelOf(run, scenario, gap + index * (panelHeight + gap)))
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">`,
    '<title>Share of the traffic by provider and minute</title>',
    `<rect width="${width}" height="${height}" fill="#fff"/>`,
    ...scenario.providers.map(({ id }, index) => legendOf(id, index)),
    ...panels,
    '</svg>\n',
  ].join('\n')
}

function legendOf(id: string, index: number): string {
  const x = left + index * 110
  return `<rect x="${x}" y="10" width="12" height="12" fill="${colors[index % colors.length]}"/><text x="${x + 18}" y="20">${id}</text>`
}

function panelOf({ name, outcomes }: Run, scenario: Scenario, top: number): string {
  const shares = sharesOf(outcomes, scenario)
  const x = (minute: number): number => left + (minute / scenario.minutes) * (width - left - 10)
  const y = (share: number): number => top + (1 - share) * panelHeight
  const areas = scenario.providers.map((_, index) => {
    const below = shares.map(row => row.slice(0, index).reduce((sum, share) => sum + share, 0))
    // Steps, because a minute has one value.
    const upper = shares.flatMap((row, minute) => [
      point(x(minute), y(below[minute]! + row[index]!)),
      point(x(minute + 1), y(below[minute]! + row[index]!)),
    ])
    const lower = below.flatMap((share, minute) => [point(x(minute), y(share)), point(x(minute + 1), y(share))]).reverse()
    return `<polygon points="${[...upper, ...lower].join(' ')}" fill="${colors[index % colors.length]}"/>`
  })
  const marks = scenario.episodes.map(({ provider, title, fromMinute, untilMinute }) => {
    const end = top + panelHeight
    const line = `<path d="M${point(x(fromMinute), end + 4)}H${x(untilMinute).toFixed(1)}" stroke="#333" stroke-width="2"/>`
    return `${line}<text x="${x(fromMinute).toFixed(1)}" y="${end + 18}" font-size="10">${provider}: ${title}</text>`
  })
  return [`<text x="${left}" y="${top - 6}">${name.replaceAll('`', '')}</text>`, ...areas, ...staggered(marks)].join('\n')
}

/** Labels that are close together alternate in height. */
function staggered(marks: readonly string[]): readonly string[] {
  return marks.map((mark, index) => (index % 2 === 0 ? mark : `<g transform="translate(0 11)">${mark}</g>`))
}

function point(x: number, y: number): string {
  return `${x.toFixed(1)},${y.toFixed(1)}`
}
