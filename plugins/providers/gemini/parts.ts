import {
  inlineDataOf,
  isTextFile,
  textOfPart,
  unsayable,
  type FilePart,
  type ImagePart,
  type InlineData,
  type Part as ItemPart,
} from '../../../core/kit.ts'
import { mediaTypeByName } from './media.ts'
import { extraOf, withExtra } from './own-dialect.ts'
import type { Part } from './wire.ts'

/** The parts of a user message or a tool output. Leaves out empty texts, which the vendor rejects. `isOwn`: the caller speaks this dialect. */
export function inputParts(parts: readonly ItemPart[], filesUrl: string | undefined, isOwn: boolean): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    const extra = extraOf(part, isOwn)
    if (part.type === 'input_image') return [withExtra(imagePart(part, filesUrl), extra)]
    if (part.type === 'input_file') return [withExtra(filePart(part, filesUrl, isOwn), extra)]
    return textParts([part], isOwn)
  })
}

/** The parts of a message that may hold only text, and what a caller of this dialect puts beside it. */
export function textParts(parts: readonly ItemPart[], isOwn: boolean): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    const extra = extraOf(part, isOwn)
    if (part.type === 'vendor') return extra ? [extra as Part] : []
    const text = textOfPart(part)
    return text === '' ? [] : [withExtra({ text }, extra)]
  })
}

function imagePart(part: ImagePart, filesUrl: string | undefined): Part {
  const { image_url: url, file_id: fileId } = part
  if (fileId !== undefined) return storedFile(fileId, undefined, filesUrl, part)
  if (url === undefined) throw unsayable('input_image has neither image_url nor file_id.', part)
  const data = inlineDataOf(url, part)
  return data ? inline(data) : linked(url, mediaTypeByName(url) ?? 'image/jpeg', part)
}

function filePart(part: FilePart, filesUrl: string | undefined, isOwn: boolean): Part {
  const { filename, file_data: data, file_url: url, file_id: fileId } = part
  const byName = filename === undefined ? undefined : mediaTypeByName(filename)
  if (fileId !== undefined) return storedFile(fileId, byName, filesUrl, part)
  if (url !== undefined) return linked(url, byName ?? mediaTypeByName(url) ?? 'application/pdf', part)
  if (data === undefined) throw unsayable('input_file has neither file_data nor file_url nor file_id.', part)
  const { mediaType, base64 } = inlineDataOf(data, part) ?? { mediaType: '', base64: data }
  if (isOwn) return { inlineData: { mimeType: mediaType, data: base64, ...(filename !== undefined && { displayName: filename }) } }
  const isTold = mediaType !== '' && mediaType !== 'application/octet-stream'
  return inline({ mediaType: isTold ? mediaType : (byName ?? 'application/pdf'), base64 })
}

/** The only text types that the vendor accepts are `text/…`. */
function inline({ mediaType, base64 }: InlineData): Part {
  const isUnknown = isTextFile(mediaType) && !mediaType.startsWith('text/')
  return { inlineData: { mimeType: isUnknown ? 'text/plain' : mediaType, data: base64 } }
}

/** The vendor fetches public `https:` URLs itself. `gs:` is its own storage. */
function linked(fileUri: string, mimeType: string, part: ItemPart): Part {
  if (/^(https|gs):\/\//i.test(fileUri)) return { fileData: { mimeType, fileUri } }
  throw unsayable('This provider accepts files and images only by https: and data: URLs.', part)
}

/** Files stored by the vendor, referenced by their address. */
function storedFile(fileId: string, mimeType: string | undefined, filesUrl: string | undefined, part: ItemPart): Part {
  if (/^(https|gs):\/\//i.test(fileId)) return { fileData: { ...(mimeType && { mimeType }), fileUri: fileId } }
  if (filesUrl === undefined) throw unsayable('This provider does not store files. file_id must be an https:// or gs:// address.', part)
  const fileUri = `${filesUrl}/${encodeURIComponent(fileId.replace(/^files\//, ''))}`
  return { fileData: { ...(mimeType && { mimeType }), fileUri } }
}
