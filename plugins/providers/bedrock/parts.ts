import { textOfPart, type Part } from '../../../core/kit.ts'
import { fileBlock, type DocumentNames } from './documents.ts'
import { imageBlock } from './images.ts'
import type { CachePoint, ContentBlock, InputBlock, TextBlock } from './wire.ts'

/** A block, and the cache point to put after it. */
export interface Placed<Block extends ContentBlock = ContentBlock> {
  readonly block: Block
  readonly cachePoint: CachePoint | undefined
}

export function placed<Block extends ContentBlock>(block: Block): Placed<Block> {
  return { block, cachePoint: undefined }
}

/** The blocks of a user message or a tool output. Leaves out blank texts, which the vendor rejects. */
export function inputBlocks(parts: readonly Part[], names: DocumentNames): readonly Placed<InputBlock>[] {
  return parts.flatMap((part): readonly Placed<InputBlock>[] => {
    if (part.type === 'input_image') return [{ block: imageBlock(part), cachePoint: cachePointAt(part) }]
    if (part.type === 'input_file') return [{ block: fileBlock(part, names), cachePoint: cachePointAt(part) }]
    return textBlocks([part])
  })
}

/** The blocks of a message that may hold only text. */
export function textBlocks(parts: readonly Part[]): readonly Placed<TextBlock>[] {
  return parts.flatMap((part): readonly Placed<TextBlock>[] => {
    const text = textOfPart(part)
    return text.trim() === '' ? [] : [{ block: { text }, cachePoint: cachePointAt(part) }]
  })
}

/** Reads the hints of both dialects. */
function cachePointAt(part: object): CachePoint | undefined {
  const { cache_control: control, prompt_cache_breakpoint: breakpoint } = part as {
    readonly cache_control?: { readonly ttl?: string }
    readonly prompt_cache_breakpoint?: { readonly ttl?: string }
  }
  return cachePoint(control ?? breakpoint)
}

export function cachePoint(hint: { readonly ttl?: string } | undefined): CachePoint | undefined {
  return hint && { type: 'default', ...(hint.ttl === '1h' && { ttl: '1h' }) }
}
