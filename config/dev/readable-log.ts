import { isObject, parseJson } from '../../core/index.ts'
import { sortedFrames } from './own-frames.ts'
import { Paint } from './paint.ts'

const colors = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const
const indent = ' '.repeat(17)

/** Makes text for people of the lines of the log. */
export class ReadableLog {
  readonly #paint: Paint
  readonly #write: (text: string) => void

  constructor(paint: Paint, write: (text: string) => void) {
    this.#paint = paint
    this.#write = write
  }

  /** One line of JSON, as `Logger` writes it. Anything else is passed on. */
  readonly line = (text: string): void => {
    const line = parseJson(text)
    this.#write(isObject(line) && typeof line['message'] === 'string' ? this.#told(line) : text)
  }

  #told({ level, time, message, stack, reason, problem, place, error, ...fields }: Readonly<Record<string, unknown>>): string {
    const paint = this.#paint
    const color = colors[level as keyof typeof colors] ?? 'gray'
    const { pid: _pid, hostname: _hostname, ...rest } = fields
    const told = Object.entries(rest).map(([name, value]) =>
      paint.apply('dim', `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`),
    )
    const head = [timeOf(time), paint.apply(color, String(level).padEnd(5)), String(message), ...told].join('  ')
    const lines = [
      ...(typeof problem === 'string' ? problem.split('\n').filter(line => line.trim() !== '') : []),
      ...(error === undefined && reason === undefined ? [] : [causeOf(error, reason)]),
      ...(typeof place === 'string' && !Array.isArray(stack) ? [`at ${place}`] : []),
      ...(Array.isArray(stack) ? this.#framesOf(stack.map(String)) : []),
    ]
    return `${head}\n${lines.map(line => `${indent}${line}\n`).join('')}`
  }

  /** Those of plugins first, and bright. */
  #framesOf(stack: readonly string[]): readonly string[] {
    const { own, others } = sortedFrames(stack)
    return [...own.map(frame => this.#paint.apply('bold', frame)), ...others.map(frame => this.#paint.apply('dim', frame))]
  }
}

function causeOf(error: unknown, reason: unknown): string {
  return [error, reason].filter(part => part !== undefined).join(': ')
}

export function timeOf(time: unknown): string {
  const date = new Date(typeof time === 'number' ? time : Date.now())
  const parts = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return parts.map(part => String(part).padStart(2, '0')).join(':')
}
