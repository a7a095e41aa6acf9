import { isObject, type JsonObject } from '../../core/index.ts'
import type { ChatHost } from './chat-host.ts'

/** The host, with a `changeReply` that gives the reasoning in its replies the name that the dialect reads. */
export function withNamedReasoning(host: ChatHost): ChatHost {
  const { reasoningMember: name, changeReply } = host
  if (name === undefined) return host
  return {
    ...host,
    changeReply(body) {
      const changed = changeReply ? changeReply(body) : body
      if (changed) nameReasoning(changed, name)
      return changed
    },
  }
}

function nameReasoning({ choices }: JsonObject, name: string): void {
  if (!Array.isArray(choices)) return
  for (const choice of choices as readonly unknown[])
    for (const said of isObject(choice) ? [choice['delta'], choice['message']] : []) {
      if (!isObject(said) || said[name] === undefined) continue
      const members = said as Record<string, unknown>
      members['reasoning_content'] = members[name]
      delete members[name]
    }
}
