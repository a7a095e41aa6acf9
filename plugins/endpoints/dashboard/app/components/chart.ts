import uPlot from 'uplot'
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { compact, shortDate, timeLabels } from '../format.ts'
import { html } from '../html.ts'
import { recolored } from '../theme.ts'

export interface Series {
  readonly label: string
  /** One for each time. Null leaves a gap. */
  readonly values: readonly (number | null)[]
  /** Of the whole time. The legend shows it, or else the newest value. */
  readonly total?: number | null
  /** One of the colors of charts, 1 to 6. Default: by position. */
  readonly color?: number
}

export interface ChartProps {
  /** The name of the chart, also for screen readers. */
  readonly label: string
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[]
  readonly series: readonly Series[]
  /** Writes a value with its unit. */
  readonly format?: (value: number) => string
  /** Writes a time, in milliseconds. Default: the day and the time of day. */
  readonly timeName?: (time: number) => string
  readonly height?: number
  /** `bars`: for sums of a bucket. */
  readonly kind?: 'line' | 'bars'
  /** Series on top of one another, as shares of a whole. */
  readonly isStacked?: boolean
}

/** A chart over time. Below it are the names of the series, with the values at the pointer, or else those of the whole time. */
export function Chart({
  label,
  times,
  series,
  format = compact,
  timeName = shortDate,
  height = 200,
  kind = 'line',
  isStacked = false,
}: ChartProps): VNode {
  const frame = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [colors, setColors] = useState<readonly string[]>([])
  const [at, setAt] = useState<number | null>(null)
  const shape = JSON.stringify([series.map(each => [each.label, each.color]), height, kind, isStacked, colors])

  useEffect(() => {
    const read = (): void => setColors(colorsOf(frame.current!))
    read()
    addEventListener(recolored, read)
    return () => removeEventListener(recolored, read)
  }, [])

  useEffect(() => {
    if (colors.length === 0) return
    const element = frame.current!
    const made = new uPlot(
      {
        ...optionsOf(series, colors, format, kind, isStacked),
        width: element.clientWidth,
        height,
        hooks: { setCursor: [({ cursor }) => setAt(cursor.idx ?? null)] },
      },
      dataOf(times, series, isStacked),
      element,
    )
    plot.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      plot.current = undefined
    }
  }, [shape])

  useEffect(() => plot.current?.setData(dataOf(times, series, isStacked)), [times, series, isStacked])

  const pointed = at !== null && at < times.length ? at : undefined
  const shown = (value: number | null | undefined): string => (value === null || value === undefined ? '–' : format(value))
  const restingValue = ({ values, total }: Series): string => shown(total === undefined ? values.at(-1) : total)
  const hasTotals = series.some(({ total }) => total !== undefined)
  const summary = series.map(each => `${each.label}: ${restingValue(each)}`).join(', ')
  return html`<figure class="chart">
    <div
      ref=${frame}
      class="chart-frame"
      role="img"
      aria-label=${`${label}. ${hasTotals ? 'Whole period' : 'Latest'}: ${summary || 'nothing'}`}
      style=${{ height: `${height}px` }}
    ></div>
    <figcaption class="legend">
      ${series.map(
        (each, position) =>
          html`<span class="legend-entry">
            <span class=${`legend-color c${each.color ?? (position % colorCount) + 1}`} aria-hidden="true"></span>${each.label}
            <strong>${pointed === undefined ? restingValue(each) : shown(each.values[pointed])}</strong>
          </span>`,
      )}
      ${(pointed !== undefined || hasTotals) && html`<span class="legend-time">${pointed === undefined ? 'Whole time' : timeName(times[pointed]! * 1000)}</span>`}
    </figcaption>
  </figure>`
}

const colorCount = 6

/** The colors of the theme, as a canvas needs them: those of the series, then of text and lines. */
function colorsOf(element: HTMLElement): readonly string[] {
  const probe = element.appendChild(document.createElement('span'))
  const names = [...Array.from({ length: colorCount }, (_, index) => `--c${index + 1}`), '--muted', '--line']
  const found = names.map(name => {
    probe.style.color = `var(${name})`
    return getComputedStyle(probe).color
  })
  probe.remove()
  return found
}

function optionsOf(
  series: readonly Series[],
  colors: readonly string[],
  format: (value: number) => string,
  kind: 'line' | 'bars',
  isStacked: boolean,
): Omit<uPlot.Options, 'width' | 'height'> {
  const [text, line] = [colors[colorCount]!, colors[colorCount + 1]!]
  const axis = { stroke: text, font: '12px system-ui, sans-serif', grid: { stroke: line, width: 1 }, ticks: { show: false } }
  const bars = uPlot.paths.bars!({ size: [0.7, 40] })
  return {
    legend: { show: false },
    cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
    scales: { y: { range: (_, __, most) => [0, most > 0 ? most * 1.08 : 1] } },
    axes: [
      {
        ...axis,
        grid: { show: false },
        space: 74,
        values: (_, times, __, ___, step) => [
          ...timeLabels(
            times.map(time => time * 1000),
            step * 1000,
          ),
        ],
      },
      { ...axis, size: axisWidth, values: (_, values) => values.map(value => format(value)) },
    ],
    series: [
      {},
      ...series.map((each, position): uPlot.Series => {
        const color = colors[(each.color ?? (position % colorCount) + 1) - 1]!
        const isFilled = kind === 'bars' || isStacked || series.length === 1
        return {
          label: each.label,
          stroke: color,
          width: kind === 'bars' ? 0 : 2,
          ...(isFilled && { fill: kind === 'bars' || isStacked ? color : translucent(color) }),
          ...(kind === 'bars' && { paths: bars }),
          points: { show: false, filter: kind === 'bars' ? () => null : lonely, size: 6, stroke: color, fill: color },
        }
      }),
    ],
  }
}

/** Points between gaps, through which no line goes. */
function lonely({ data }: uPlot, series: number): number[] {
  const values = Array.from(data[series]!)
  const isGap = (index: number): boolean => (values[index] ?? null) === null
  return values.flatMap((_, index) => (!isGap(index) && isGap(index - 1) && isGap(index + 1) ? [index] : []))
}

/** As wide as the longest label. */
function axisWidth(_: uPlot, values: readonly string[] | null): number {
  return Math.max(34, ...(values ?? []).map(value => value.length * 7 + 14))
}

function translucent(color: string): string {
  return color.replace(/^rgba?\(([^,)]+, *[^,)]+, *[^,)]+).*\)$/, 'rgba($1, 0.12)')
}

/** Stacked series are drawn from the highest to the lowest, each over the sum of those below it. */
function dataOf(times: readonly number[], series: readonly Series[], isStacked: boolean): uPlot.AlignedData {
  const values = series.map(each => [...each.values])
  if (isStacked)
    for (let index = values.length - 2; index >= 0; index--)
      values[index] = values[index]!.map((value, position) => (value ?? 0) + (values[index + 1]![position] ?? 0))
  return [[...times], ...values]
}
