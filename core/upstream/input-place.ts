import type { Item, Part } from '../contracts/items.ts'

/** The position of an item, or of one of its parts, in an input. */
export interface InputPlace {
  readonly item: number
  readonly part: number | undefined
}

/** The place of an object in the input, by identity: a copy does not count. */
export function placeOf(input: readonly Item[], subject: object): InputPlace | undefined {
  for (const [item, each] of input.entries()) {
    if (each === subject) return { item, part: undefined }
    const part = partsOf(each).indexOf(subject as Part)
    if (part >= 0) return { item, part }
  }
  return undefined
}

/** The item or part at a place. */
export function subjectAt(input: readonly Item[], { item, part }: InputPlace): Item | Part | undefined {
  const found = input[item]
  return found && (part === undefined ? found : partsOf(found)[part])
}

/** `input[2].content[1]` */
export function inputPath(input: readonly Item[], { item, part }: InputPlace): string {
  if (part === undefined) return `input[${item}]`
  return `input[${item}].${input[item]!.type === 'message' ? 'content' : 'output'}[${part}]`
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === 'message') return item.content
  const isOutput = item.type === 'function_call_output' || item.type === 'custom_tool_call_output'
  return isOutput && typeof item.output === 'object' ? item.output : []
}
