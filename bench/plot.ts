/** Bars from zero, one per line, as SVG. Readable on light and dark pages. */
export function barPlot(
  title: string,
  unit: string,
  bars: readonly { readonly label: string; readonly value: number; readonly own: boolean }[],
): string {
  const most = Math.max(...bars.map(({ value }) => value))
  const height = top + bars.length * line + bottom
  const drawn = bars.map(({ label, value, own }, index) => {
    const y = top + index * line
    const length = Math.max((value / most) * barSpace, 1)
    return [
      `<text x="${labelSpace - 8}" y="${y + 14}" text-anchor="end">${escaped(label)}</text>`,
      `<rect x="${labelSpace}" y="${y + 2}" width="${length.toFixed(1)}" height="16" rx="2" fill="${own ? '#2f6fde' : '#8a94a6'}"/>`,
      `<text x="${(labelSpace + length + 6).toFixed(1)}" y="${y + 14}">${value < 10 ? value.toFixed(2) : value.toFixed(0)}</text>`,
    ].join('\n')
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13">
<style>text { fill: #1f2733 } @media (prefers-color-scheme: dark) { text { fill: #e6eaf0 } }</style>
<text x="8" y="20" font-weight="600">${escaped(title)}, ${escaped(unit)}</text>
${drawn.join('\n')}
</svg>
`
}

const width = 760
const labelSpace = 220
const barSpace = 470
const top = 34
const line = 22
const bottom = 8

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
