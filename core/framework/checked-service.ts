import { Sealer } from '../contracts/sealer.ts'
import { PluginError } from '../foundation/errors.ts'
import type { JsonObject } from '../foundation/json.ts'
import { isPending } from '../runtime/pending.ts'
import { describeError, describePluginError, loggableMessage, type Logger } from '../foundation/logger.ts'
import { nameOf, type Token } from '../foundation/token.ts'
import { checkedSealer } from './checked-sealer.ts'
import { serviceAnswers, type AnswerCheck } from './service-answers.ts'

/** The plugin that implements a service. */
interface Implementer {
  readonly plugin: string
  readonly service: string
  readonly functions: Readonly<Record<string, (...args: unknown[]) => unknown>>
}

type Failed = (error: PluginError) => unknown

const implementers = new WeakMap<object, Implementer>()

/**
 * Wraps a plugin's implementation of a service. Failures, and answers that core cannot work with, name the plugin and the function.
 * Services that core has no checks for are returned as they are.
 */
export function checkedService<T>(service: Token<T>, implementation: T, plugin: string, log: Logger): T {
  if ((service as symbol) === Sealer) return checkedSealer(implementation as Sealer, plugin) as T
  const answers = serviceAnswers.get(service)
  if (!answers) return implementation
  const implementer = { plugin, service: nameOf(service), functions: implementation as Implementer['functions'] }
  const failed = answers.failed?.(log) ?? rethrown
  const names = Object.entries(answers.of).filter(([name]) => implementer.functions[name] !== undefined)
  const checked = Object.fromEntries(names.map(([name, answer]) => [name, checkedFunction(implementer, name, answer, failed)]))
  implementers.set(checked, implementer)
  return checked as T
}

function checkedFunction(implementer: Implementer, name: string, answer: AnswerCheck | undefined, failed: Failed): unknown {
  const { plugin, service, functions } = implementer
  const fail = (cause: unknown): unknown => failed(blamed(implementer, name, cause))
  const check = (value: unknown): unknown => {
    const problem = answer?.(value)
    if (problem === undefined) return value
    return failed(new PluginError(plugin, `returned a bad answer from \`${name}\` of ${service}: ${problem}`))
  }
  if (!answer) return functions[name]!.bind(functions)
  // None of the services has functions with more parameters.
  return (a: unknown, b: unknown, c: unknown): unknown => {
    let value: unknown
    let isLater: boolean
    try {
      value = functions[name]!(a, b, c)
      isLater = isPending(value)
    } catch (cause) {
      return fail(cause)
    }
    return isLater ? Promise.resolve(value).then(check, fail) : check(value)
  }
}

/** The log fields for an error of a service's function, where `service-answers` leaves that to the caller. */
export function describeServiceError(service: object, name: string, cause: unknown, mayShow: boolean): JsonObject {
  const implementer = implementers.get(service)
  if (!implementer) return describeError(cause)
  return { plugin: implementer.plugin, ...describePluginError(blamed(implementer, name, cause), true, mayShow) }
}

/** The error of a service that did not answer in time. */
export function late(service: object, name: string, milliseconds: number): PluginError | undefined {
  const implementer = implementers.get(service)
  return implementer && new PluginError(implementer.plugin, `took longer than ${milliseconds} ms in \`${name}\` of ${implementer.service}`)
}

function blamed({ plugin, service }: Implementer, name: string, cause: unknown): PluginError {
  return new PluginError(plugin, `failed in \`${name}\` of ${service}: ${loggableMessage(cause)}`, { cause })
}

function rethrown(error: PluginError): never {
  throw error
}
