import type { Calibration } from './calibration.ts'
import type { Bin } from './reliability.ts'

const side = 300
const margin = 60
const gap = 50
const top = 80

/** A reliability diagram: for each type of question, accuracy over confidence. On the diagonal the two agree. */
export function diagram(model: string, calibrations: readonly Calibration[]): string {
  const width = 2 * margin + calibrations.length * side + (calibrations.length - 1) * gap
  const height = top + side + 90
  const panels = calibrations.map((calibration, index) => panel(calibration, margin + index * (side + gap)))
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="sans-serif" font-size="13">
<title>Reliability of ${escaped(model)}</title>
<rect width="${width}" height="${height}" fill="white"/>
<text x="${margin}" y="28" font-size="17">Reliability of ${escaped(model)}</text>
${panels.join('\n')}
</svg>
`
}

function panel({ type, held, temperature, before, after }: Calibration, left: number): string {
  const bottom = top + side
  return `<g transform="translate(${left} 0)">
<text y="${top - 14}">${type}: ${held} answers, temperature ${temperature.toFixed(2)}</text>
<rect y="${top}" width="${side}" height="${side}" fill="none" stroke="#888"/>
<line x1="0" y1="${bottom}" x2="${side}" y2="${top}" stroke="#888" stroke-dasharray="4 4"/>
${[0, 0.5, 1].map(tick).join('\n')}
<text x="${side / 2}" y="${bottom + 38}" text-anchor="middle">probability of the likeliest option</text>
<text transform="translate(-34 ${top + side / 2}) rotate(-90)" text-anchor="middle">share of right answers</text>
${curve(before.bins, '#c0392b')}
${curve(after.bins, '#1f6fb2')}
<text y="${bottom + 62}" fill="#c0392b">before: error ${before.error.toFixed(3)}</text>
<text x="${side}" y="${bottom + 62}" fill="#1f6fb2" text-anchor="end">after: error ${after.error.toFixed(3)}</text>
</g>`
}

function tick(value: number): string {
  return `<text x="${value * side}" y="${top + side + 18}" text-anchor="middle">${value}</text><text x="-8" y="${top + (1 - value) * side + 4}" text-anchor="end">${value}</text>`
}

/** A point for each bin. Larger points have more answers. */
function curve(bins: readonly Bin[], colour: string): string {
  const answers = bins.reduce((sum, { count }) => sum + count, 0)
  const points = bins.map(({ sureness, accuracy, count }) => ({
    x: (sureness * side).toFixed(1),
    y: (top + (1 - accuracy) * side).toFixed(1),
    radius: (3 + 9 * Math.sqrt(count / answers)).toFixed(1),
  }))
  const line = `<polyline points="${points.map(({ x, y }) => `${x},${y}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="1.5"/>`
  return [
    line,
    ...points.map(({ x, y, radius }) => `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}" fill-opacity="0.5"/>`),
  ].join('\n')
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
