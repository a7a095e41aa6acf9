import { pino } from 'pino'
import { PluginError } from './errors.ts'
import type { JsonObject } from './json.ts'
import type { Masks } from './masks.ts'
import { token } from './token.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent'

/**
 * Writes structured log lines. Secrets are masked in every line. Never pass content. Every line has `level`, `time` and `message`: a field of such
 * a name is written with `_` at its end.
 */
export interface Logger {
  /** For those who look for a fault. Off by default. */
  debug(message: string, fields?: JsonObject): void
  /** Something normal that operators want to know, such as a start. */
  info(message: string, fields?: JsonObject): void
  /** Something went wrong, and the gateway can go on. */
  warn(message: string, fields?: JsonObject): void
  /** Something is broken that an operator has to mend. */
  error(message: string, fields?: JsonObject): void
  /** Names this plugin in every line, in place of one that this logger names. */
  child(name: string): Logger
}
export const Logger = token<Logger>('logger')

/** Writes JSON lines with pino. `write` gets one finished line. */
export function createLogger(
  level: LogLevel,
  masks: Masks,
  write: (line: string) => void = line => void process.stderr.write(line),
  details?: ErrorDetails,
  /** In every line. */
  fields: JsonObject | null = null,
): Logger {
  const root = pino(
    { level, base: fields, messageKey: 'message', formatters: { level: label => ({ level: label }) } },
    { write: (line: string) => write(masks.apply(line)) },
  )
  return wrap(root, { root, masks, details })
}

/** Knows more about a plugin's error than every log line says. */
export interface ErrorDetails {
  /** More fields. `mayShow`: the policy of the request allows that its content is logged. */
  of(plugin: string, error: unknown, mayShow: boolean): JsonObject
}

interface LineParts {
  readonly root: pino.Logger
  readonly masks: Masks
  readonly details: ErrorDetails | undefined
}

function wrap(target: pino.Logger, parts: LineParts, name?: string): Logger {
  const told = (fields: JsonObject | undefined): JsonObject => unreserved(fields ?? {}, name)
  return {
    debug: (message, fields) => target.debug(told(fields), message),
    info: (message, fields) => target.info(told(fields), message),
    warn: (message, fields) => target.warn(told(detailed(fields, parts, name)), message),
    error: (message, fields) => target.error(told(detailed(fields, parts, name)), message),
    child: plugin => wrap(parts.root.child({ plugin }), parts, plugin),
  }
}

/** The members of every line. pino would write them twice. */
const reserved = ['level', 'time', 'message']

/** The fields. Those with a reserved name are renamed: `level` becomes `level_`. `plugin` is reserved for the loggers of plugins. */
function unreserved(fields: JsonObject, plugin: string | undefined): JsonObject {
  const isReserved = (name: string): boolean => reserved.includes(name) || (name === 'plugin' && plugin !== undefined)
  if (!Object.keys(fields).some(isReserved)) return fields
  const named = Object.entries(fields).map(([name, value]) => [isReserved(name) ? `${name}_` : name, value] as const)
  return Object.fromEntries(named.filter(([name, value]) => name !== 'plugin_' || value !== plugin))
}

/** The error among the fields of a line, which JSON leaves out. The same in all copies of this package. */
const thrown = Symbol.for('turnpike/thrown')

const maxReasonLength = 300

/** Cuts the reason of an error, and adds what else is known of it. Masks come first: half a secret would not be found. */
function detailed(
  fields: (JsonObject & { readonly [thrown]?: Thrown }) | undefined,
  { masks, details }: LineParts,
  name: string | undefined,
): JsonObject | undefined {
  const { [thrown]: found, plugin = name, reason } = fields ?? {}
  if (!found) return fields
  const cut = { ...fields, reason: masks.apply(String(reason)).slice(0, maxReasonLength) }
  return details && typeof plugin === 'string' ? { ...cut, ...details.of(plugin, found.error, found.mayShow) } : cut
}

interface Thrown {
  readonly error: unknown
  readonly mayShow: boolean
}

/** The log fields for a thrown value: its name, code and stack. Not its message, which may quote a vendor or caller. */
export function describeError(error: unknown): JsonObject {
  try {
    return description(error)
  } catch {
    return { error: typeof error }
  }
}

/** Throws what a getter or a proxy throws. */
function description(error: unknown): JsonObject {
  if (!(error instanceof Error)) return { error: typeof error }
  const frames = error.stack
    ?.split('\n')
    .filter(line => line.trimStart().startsWith('at '))
    .slice(0, 6)
    .map(line => line.trim())
  const { code, kind } = error as { code?: unknown; kind?: unknown }
  return {
    error: classOf(error),
    ...(typeof code === 'string' && { code }),
    ...(typeof kind === 'string' && { kind }),
    ...(frames && { stack: frames }),
  }
}

/** Many classes of errors do not set their name. */
function classOf({ name, constructor }: Error): string {
  return name === 'Error' && typeof constructor === 'function' ? constructor.name || name : name
}

const unreadable = 'The exception cannot be read: a proxy or a getter of it throws. Throw an Error.'
const withheld = 'The message may quote content, so it is not logged. Throw a PluginError to have its message logged.'

/**
 * The log fields for a plugin's error, with its message as `reason`. If the message may quote content, only those of a `PluginError`
 * and of the operating system are logged: the former must not contain content, and the latter never do. `mayShow`: the policy of the
 * request has `logging` on, so those of trusted plugins may be logged, too.
 */
export function describePluginError(error: unknown, mayQuoteContent: boolean, mayShow = false): JsonObject {
  try {
    const known = loggable(error) ?? (mayQuoteContent ? undefined : error)
    const told = known === undefined ? withheld : known instanceof Error ? known.message : String(known)
    const word = mayShow && known instanceof PluginError ? known.word : undefined
    const reason = word === undefined ? told : `${told} ("${word}")`
    const marker: { readonly [thrown]: Thrown } = { [thrown]: { error, mayShow } }
    return { ...describeError(raised(error)), reason, ...marker }
  } catch {
    return { error: typeof error, reason: unreadable }
  }
}

/** The message of an exception if it may be logged, or else why it is not. */
export function loggableMessage(error: unknown): string {
  return loggable(error)?.message ?? withheld
}

/** The plugin's own exception, if core wrapped it in one that names the plugin. */
export function raised(error: unknown): unknown {
  return error instanceof PluginError && error.cause instanceof Error ? error.cause : error
}

function loggable(error: unknown): Error | undefined {
  return pluginErrorIn(error) ?? systemErrorIn(error)
}

function pluginErrorIn(error: unknown): Error | undefined {
  return error instanceof PluginError ? error : undefined
}

/** `fetch` puts the reason for a failed connection into the cause. */
function systemErrorIn(error: unknown): Error | undefined {
  for (let each = error, depth = 0; each instanceof Error && depth < 4; each = each.cause, depth++)
    if (typeof (each as { syscall?: unknown }).syscall === 'string') return each
  return undefined
}
