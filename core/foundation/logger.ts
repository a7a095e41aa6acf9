import { pino } from 'pino'
import type { JsonObject } from './json.ts'
import type { Masks } from './masks.ts'
import { token } from './token.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Writes structured log lines. Secrets are masked in every line. Never pass content. */
export interface Logger {
  debug(message: string, fields?: JsonObject): void
  info(message: string, fields?: JsonObject): void
  warn(message: string, fields?: JsonObject): void
  error(message: string, fields?: JsonObject): void
  child(name: string): Logger
}
export const Logger = token<Logger>('logger')

/** Writes JSON lines with pino. `write` gets one finished line. */
export function createLogger(
  level: LogLevel,
  masks: Masks,
  write: (line: string) => void = line => void process.stderr.write(line),
): Logger {
  const root = pino(
    { level, base: null, messageKey: 'message', formatters: { level: label => ({ level: label }) } },
    { write: (line: string) => write(masks.apply(line)) },
  )
  return wrap(root)
}

function wrap(target: pino.Logger): Logger {
  return {
    debug: (message, fields) => target.debug(fields ?? {}, message),
    info: (message, fields) => target.info(fields ?? {}, message),
    warn: (message, fields) => target.warn(fields ?? {}, message),
    error: (message, fields) => target.error(fields ?? {}, message),
    child: name => wrap(target.child({ plugin: name })),
  }
}

/** The log fields for a thrown value: its name, code and stack. Not its message, which may quote a vendor or caller. */
export function describeError(error: unknown): JsonObject {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack
    ?.split('\n')
    .filter(line => line.trimStart().startsWith('at '))
    .slice(0, 6)
    .map(line => line.trim())
  const { code, kind } = error as { code?: unknown; kind?: unknown }
  return {
    error: error.name,
    ...(typeof code === 'string' && { code }),
    ...(typeof kind === 'string' && { kind }),
    ...(frames && { stack: frames }),
  }
}

const longestReason = 300
const withheld = 'The message may quote content, so it is not logged. Throw a PluginError to have its message logged.'

/**
 * The log fields for a plugin's error, with its message as `reason`. If the message may quote content, only those of a `PluginError`
 * and of the operating system are logged: the former must not contain content, and the latter never do.
 */
export function describePluginError(error: unknown, mayQuoteContent: boolean): JsonObject {
  const known = pluginErrorIn(error) ?? systemErrorIn(error) ?? (mayQuoteContent ? undefined : error)
  const reason = known === undefined ? withheld : known instanceof Error ? known.message : String(known)
  return { ...describeError(error), reason: shortened(reason) }
}

/** Cut between words: half a secret would not be masked. */
function shortened(reason: string): string {
  return reason.length <= longestReason ? reason : `${reason.slice(0, longestReason).replace(/\S*$/, '')}…`
}

/** By name, because plugins may bring their own copy of this package. */
function pluginErrorIn(error: unknown): Error | undefined {
  return error instanceof Error && error.name === 'PluginError' ? error : undefined
}

/** `fetch` puts the reason for a failed connection into the cause. */
function systemErrorIn(error: unknown): Error | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth++)
    if (typeof (each as { syscall?: unknown }).syscall === 'string') return each
  return undefined
}
