import type { JsonObject } from '../../../core/index.ts'
import { regularExpression } from './regular-expression.ts'

const longestText = 10_000

/** A text within the schema's bounds; undefined where none was found. Each variant is another text. */
export function stringInstance(schema: JsonObject, name: string, variant: number): string | undefined {
  const least = typeof schema.minLength === 'number' ? schema.minLength : 0
  const most = typeof schema.maxLength === 'number' ? schema.maxLength : longestText
  if (least > longestText || most < least) return undefined
  if (typeof schema.pattern === 'string') return patterned(schema.pattern, least, most, variant)
  const format = typeof schema.format === 'string' && Object.hasOwn(formats, schema.format) ? formats[schema.format] : undefined
  if (format) return format(variant)
  const suffix = variant === 0 ? '' : String(variant + 1)
  const stem = Array.from(name || 'text').slice(0, Math.max(0, most - suffix.length))
  const padding = 'x'.repeat(Math.max(0, least - stem.length - suffix.length))
  return (stem.join('') + padding + suffix).slice(0, most === 0 ? 0 : undefined)
}

function patterned(pattern: string, least: number, most: number, variant: number): string | undefined {
  const expression = regularExpression(pattern)
  if (!expression) return undefined
  const written = expression.write(least, variant)
  const text = written + 'x'.repeat(Math.max(0, least - Array.from(written).length))
  return Array.from(text).length <= most && expression.accepts(text) ? text : undefined
}

const two = (value: number): string => String(value).padStart(2, '0')
const day = (variant: number): string =>
  `${2025 + Math.floor(variant / 336)}-${two(1 + (Math.floor(variant / 28) % 12))}-${two(1 + (variant % 28))}`
const clock = (variant: number): string => `${two(variant % 24)}:${two(Math.floor(variant / 24) % 60)}:00Z`
const numbered = (variant: number): string => (variant === 0 ? '' : String(variant + 1))

const formats: Readonly<Record<string, (variant: number) => string>> = {
  'date-time': variant => `${day(variant)}T00:00:00Z`,
  date: day,
  time: clock,
  duration: variant => `P${variant + 1}D`,
  email: variant => `user${numbered(variant)}@example.com`,
  'idn-email': variant => `user${numbered(variant)}@example.com`,
  hostname: variant => `host${numbered(variant)}.example.com`,
  'idn-hostname': variant => `host${numbered(variant)}.example.com`,
  ipv4: variant => `192.0.2.${variant % 256}`,
  ipv6: variant => `2001:db8::${(variant + 1).toString(16)}`,
  uri: variant => `https://example.com/${numbered(variant)}`,
  url: variant => `https://example.com/${numbered(variant)}`,
  iri: variant => `https://example.com/${numbered(variant)}`,
  'uri-reference': variant => `/text${numbered(variant)}`,
  'iri-reference': variant => `/text${numbered(variant)}`,
  'uri-template': variant => `/text${numbered(variant)}/{name}`,
  'json-pointer': variant => `/text${numbered(variant)}`,
  'relative-json-pointer': variant => `${variant}/text`,
  uuid: variant => `00000000-0000-4000-8000-${(variant + 1).toString(16).padStart(12, '0')}`,
  regex: variant => `^text${numbered(variant)}$`,
  byte: variant => Buffer.from(`text${numbered(variant)}`).toString('base64'),
}

/** A number within the schema's bounds: 1 where it may be, else one near the lower bound or in the middle. */
export function numberInstance(schema: JsonObject, whole: boolean, variant: number): number | undefined {
  const low = Math.max(limit(schema.minimum, -Infinity), limit(schema.exclusiveMinimum, -Infinity))
  const high = Math.min(limit(schema.maximum, Infinity), limit(schema.exclusiveMaximum, Infinity))
  const isInside = (value: number): boolean =>
    value >= low && value <= high && value !== schema.exclusiveMinimum && value !== schema.exclusiveMaximum
  const step = typeof schema.multipleOf === 'number' && schema.multipleOf > 0 ? schema.multipleOf : undefined
  if (step !== undefined) return stepped(step, whole, low, high, variant, isInside)
  const start = Number.isFinite(low) ? Math.floor(low) : Number.isFinite(high) ? Math.ceil(high) - 1 - 2 * variant : 1
  // Now and then a broken number, where only that will do.
  const broken = !whole && variant % 4 === 3 ? [variant + 0.5] : []
  const candidates = [...broken, 1 + variant, start + variant, start + variant + 1]
  if (!whole) candidates.push(low + (high - low) / (variant + 2), low + variant, high)
  return candidates.find(value => Number.isFinite(value) && isInside(value))
}

function limit(value: unknown, none: number): number {
  return typeof value === 'number' ? value : none
}

function stepped(
  step: number,
  whole: boolean,
  low: number,
  high: number,
  variant: number,
  isInside: (value: number) => boolean,
): number | undefined {
  const first =
    low > step || (high < step && Number.isFinite(low)) ? Math.ceil(low / step) : high < step ? Math.floor(high / step) - 100 : 1
  let remaining = variant
  // A multiple in floating point may fail the division that defines it, as 3 × 0.1 does.
  for (let count = first; count <= first + 1000; count++) {
    const value = count * step
    if (!isInside(value) || !Number.isInteger(value / step) || (whole && !Number.isInteger(value))) continue
    if (remaining-- === 0) return value
  }
  return undefined
}
