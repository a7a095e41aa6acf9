import type { JsonObject } from '../../core/foundation/json.ts'
import type { Logger, LogLevel } from '../../core/foundation/logger.ts'

const levels: readonly LogLevel[] = ['debug', 'info', 'warn', 'error', 'silent']

/** The log of the process that starts the workers, in the format of theirs. That process loads as little as it can. */
export class ParentLog implements Logger {
  level: LogLevel = 'info'

  debug(message: string, fields?: JsonObject): void {
    this.#write('debug', message, fields)
  }

  info(message: string, fields?: JsonObject): void {
    this.#write('info', message, fields)
  }

  warn(message: string, fields?: JsonObject): void {
    this.#write('warn', message, fields)
  }

  error(message: string, fields?: JsonObject): void {
    this.#write('error', message, fields)
  }

  child(): Logger {
    return this
  }

  #write(level: LogLevel, message: string, fields: JsonObject = {}): void {
    if (levels.indexOf(level) < levels.indexOf(this.level)) return
    process.stderr.write(`${JSON.stringify({ level, time: Date.now(), ...fields, message })}\n`)
  }
}
