import type { ConformanceReport } from './report.ts'
import { isConformant } from './report.ts'

/** A badge in the form of the endpoint of shields.io. */
export interface Badge {
  readonly schemaVersion: 1
  /** Its left half, such as `turnpike 1.2.3`. */
  readonly label: string
  /** Its right half, such as `42 passed`. */
  readonly message: string
  /** `brightgreen`, `yellow` or `red`. */
  readonly color: string
}

const colors = { passed: 'brightgreen', partly: 'yellow', failed: 'red' } as const
const fills: Readonly<Record<string, string>> = { brightgreen: '#2e7d32', yellow: '#8a6d00', red: '#c62828' }

/** Green if all tests passed, yellow if they did but some suites were not run, red otherwise. */
export function badgeOf(report: ConformanceReport): Badge {
  const { passed, failed, suites, turnpike } = report
  const left = suites.filter(({ notRun }) => notRun !== null).length
  const state = !isConformant(report) ? 'failed' : left > 0 ? 'partly' : 'passed'
  const tests = failed > 0 ? `${failed} of ${passed + failed} failed` : `${passed} passed`
  const message = left > 0 ? `${tests}, ${left} ${left === 1 ? 'suite' : 'suites'} not run` : tests
  return { schemaVersion: 1, label: `turnpike ${turnpike}`, message, color: colors[state] }
}

const characterWidth = 6.6
const padding = 8

/** The badge as a picture. */
export function badgeSvg({ label, message, color }: Badge): string {
  const [left, right] = [label, message].map(text => Math.round(text.length * characterWidth + 2 * padding)) as [number, number]
  const width = left + right
  const text = (words: string, from: number, to: number): string =>
    `<text x="${(from + to) / 2}" y="14" textLength="${to - from - 2 * padding}">${escaped(words)}</text>`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="20" role="img" aria-label="${escaped(`${label}: ${message}`)}">`,
    `<title>${escaped(`${label}: ${message}`)}</title>`,
    `<clipPath id="edge"><rect width="${width}" height="20" rx="3"/></clipPath>`,
    `<g clip-path="url(#edge)"><rect width="${left}" height="20" fill="#444"/><rect x="${left}" width="${right}" height="20" fill="${fills[color] ?? '#444'}"/></g>`,
    `<g fill="#fff" text-anchor="middle" font-family="Verdana,Geneva,sans-serif" font-size="11">${text(label, 0, left)}${text(message, left, width)}</g>`,
    '</svg>',
    '',
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
