import type { JsonObject } from '../../core/index.ts'

export type Channel = 'text' | 'refusal' | 'summary' | 'full' | 'input'

export interface OutputPart {
  readonly channel: Channel
  readonly index: number
  /** Length of the item's text before this part. */
  base: number
  said: string
  annotations: number
}

/** The state of an output item while it arrives. */
export interface OutputItem {
  readonly key: string
  type: string | undefined
  phase: 'commentary' | 'final_answer' | undefined
  readonly parts: OutputPart[]
  textLength: number
  /** The tool call was emitted, so its input may follow. */
  called: boolean
  done: boolean
}

export function partOf(item: OutputItem, channel: Channel, index: number): OutputPart {
  for (const part of item.parts) if (part.channel === channel && part.index === index) return part
  const part: OutputPart = { channel, index, base: 0, said: '', annotations: 0 }
  item.parts.push(part)
  return part
}

/** Pairs the parts of a finished item with those from the stream. Pairs by order, because a stream may number them differently. */
export function paired(
  item: OutputItem,
  wires: readonly JsonObject[],
  channelOf: (part: JsonObject) => Channel,
): readonly (readonly [JsonObject, OutputPart])[] {
  const channels = wires.map(channelOf)
  const told = Map.groupBy(item.parts, part => part.channel)
  return wires.map((wire, index) => {
    const channel = channels[index]!
    const nth = channels.slice(0, index).filter(other => other === channel).length
    const sameNumber = told.get(channel)?.length === channels.filter(other => other === channel).length
    return [wire, (sameNumber && told.get(channel)?.[nth]) || partOf(item, channel, index)]
  })
}
