import { pino } from 'pino'
import type { JsonObject } from './json.ts'
import type { Masks } from './masks.ts'
import { token } from './token.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/** Structured log lines. Secrets are masked in every line; content is the caller's duty never to pass. */
export interface Logger {
  debug(message: string, fields?: JsonObject): void
  info(message: string, fields?: JsonObject): void
  warn(message: string, fields?: JsonObject): void
  /** `error`'s name and stack are kept, of a `GatewayError` or `ProviderFailure` only its kind: their messages may quote the vendor. */
  error(message: string, fields?: JsonObject): void
  child(name: string): Logger
}
export const Logger = token<Logger>('logger')

/** JSON lines through pino; `write` takes one finished line. */
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

/** What a log may say of something thrown: where it came from, never what a vendor or caller wrote. */
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
 * The same for what a guardrail or a log sink threw, with its message as `reason`. Where content may be in it, only the
 * messages of a `PluginError` and of the operating system are told: the first must not carry content, the second never does.
 */
export function describePluginError(error: unknown, mayQuoteContent: boolean): JsonObject {
  const known = pluginErrorIn(error) ?? systemErrorIn(error) ?? (mayQuoteContent ? undefined : error)
  const reason = known === undefined ? withheld : known instanceof Error ? known.message : String(known)
  return { ...describeError(error), reason: reason.slice(0, longestReason) }
}

/** Plugins may have a copy of this package of their own. */
function pluginErrorIn(error: unknown): Error | undefined {
  return error instanceof Error && error.name === 'PluginError' ? error : undefined
}

/** `fetch` hides why a connection failed in the cause. */
function systemErrorIn(error: unknown): Error | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth++)
    if (typeof (each as { syscall?: unknown }).syscall === 'string') return each
  return undefined
}
