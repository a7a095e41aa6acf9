import type { Item } from '../../../core/index.ts'
import { textFile, type FilePart, type Part } from '../../../core/kit.ts'
import type { Document } from './wire.ts'

/** The files in a conversation, which the vendor takes as separate documents ("Retrieval Augmented Generation"). Text only. */
export function documentsIn(items: readonly Item[]): readonly Document[] {
  return items
    .flatMap(partsOf)
    .filter(part => part.type === 'input_file')
    .map(documentOf)
}

/** A file as text in its message, for requests that cannot have documents. */
export function fileAsText(file: FilePart): string {
  const { name, text } = textFile(file)
  return `<document title=${JSON.stringify(name)}>\n${text}\n</document>`
}

function partsOf(item: Item): readonly Part[] {
  if (item.type === 'message') return item.content
  return item.type === 'function_call_output' && typeof item.output === 'object' ? item.output : []
}

function documentOf(file: FilePart, index: number): Document {
  const { name, text } = textFile(file)
  return { id: `file_${index}`, data: { title: name, text } }
}

/** The index of the file with this id in the conversation. */
export function positionOf(id: string): number {
  return Number(/^file_(\d+)$/.exec(id)?.[1] ?? 0)
}
