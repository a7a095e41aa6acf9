import type { JsonObject, PluginUse } from '../../../../core/index.ts'
import type { Conversation, ToolSpec } from './conversations.ts'

/** How clients of a surface say a conversation. */
export interface Surface {
  readonly path: string | ((model: string) => string)
  /** None where every gateway under test has it. */
  readonly plugin?: PluginUse
  body(model: string, conversation: Conversation): JsonObject
  /** The member that holds the conversation. */
  readonly list: 'input' | 'messages' | 'contents'
  /** What a client sends after an answer: the answer as it came, and the results of its calls. */
  continued(answer: JsonObject): readonly JsonObject[]
}

export function pathFor({ path }: Pick<Surface, 'path'>, model: string): string {
  return typeof path === 'string' ? path : path(model)
}

/** The parameters of every tool. */
export const schema = { type: 'object', properties: { b: { type: 'string' }, a: { type: 'number' }, '2': {} }, additionalProperties: true }

/** For surfaces without namespaces. */
export function plainName({ name, namespace }: ToolSpec): string {
  return namespace === undefined ? name : `${namespace}__${name}`
}
