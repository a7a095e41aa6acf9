import type { ToolDefinition } from '../../contracts/request.ts'
import type { AgentToolType } from '../../contracts/tools.ts'
import type { JsonObject } from '../../foundation/json.ts'

/** The function that an endpoint without the tool gets in its place. */
export interface StandInFunction {
  readonly description: string
  /** A JSON Schema. */
  readonly parameters: JsonObject
}

/** The members of a call item that the arguments of the function make, or what is wrong with them, as a sentence. */
export type CallMembers = { readonly members: JsonObject } | { readonly problem: string }

/** A tool of coding agents: its items, and how they become a function's call and output, and back. */
export interface AgentTool {
  readonly type: AgentToolType
  /** The type of its calls. */
  readonly call: string
  /** The type of their outputs. */
  readonly output: string
  /** Undefined if the vendor would run the tool itself, so that there is nothing to call. */
  functionOf(entry: ToolDefinition): StandInFunction | undefined
  membersOf(args: JsonObject): CallMembers
  /** The same item always makes the same arguments, so that longer conversations begin as shorter ones. */
  argumentsOf(call: JsonObject): unknown
  /** The text that a model reads. Outputs that core reads itself have none. */
  textOf?(output: JsonObject): string
}

/** Clients send nulls for members that they do not use. */
export function present(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null && value !== undefined))
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

/** The member if it is a number from 0. Models send others when they mean that there is no limit. */
export function limitIn(args: JsonObject, member: string): JsonObject {
  const value = args[member]
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? { [member]: value } : {}
}
