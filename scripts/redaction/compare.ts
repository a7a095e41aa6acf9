import { readFileSync } from 'node:fs'
import { Finder } from '../../plugins/guardrails/redaction/finder.ts'
import { detectorNames } from '../../plugins/guardrails/redaction/settings.ts'
import { corpus, scores, type Place, type Score } from './score.ts'

// Prints the table of docs/redaction.md: node --conditions=turnpike-source scripts/redaction/compare.ts /tmp/presidio.json

const texts = corpus()
const finder = new Finder({ detectors: [...detectorNames] })
const ours: Place[][] = []
for (const { text } of texts)
  ours.push((await finder.find(text)).map(({ label, start, end }) => ({ kind: label.toLowerCase(), start, end })))
const theirs = process.argv[2] === undefined ? undefined : (JSON.parse(readFileSync(process.argv[2], 'utf8')) as Place[][])
const columns = [scores(texts, ours), ...(theirs ? [scores(texts, theirs)] : [])]

console.log('| detector | values |' + ' recall | precision |'.repeat(columns.length))
console.log('|---|---|' + '---|---|'.repeat(columns.length))
for (const kind of detectorNames) {
  const cells = columns.map(column => figures(column.get(kind)))
  console.log(`| \`${kind}\` | ${columns[0]!.get(kind)!.values} | ${cells.join(' | ')} |`)
}

function figures(score: Score | undefined): string {
  if (!score || score.reported === 0) return '– | –'
  return `${percent(score.found / score.values)} | ${percent(score.right / score.reported)}`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)}%`
}
