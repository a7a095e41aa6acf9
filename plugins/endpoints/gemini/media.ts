import type { FilePart, ImagePart } from '../../../core/kit.ts'
import { others } from './others.ts'
import type { Media } from './request-body.ts'

/** Files that only the vendor can open. */
const stored = /^(gs:\/\/|https:\/\/generativelanguage\.googleapis\.com\/)/i

/** Media of a caller. Undefined for a part that holds none. `known`: members that are said elsewhere. */
export function mediaPart(part: Media, known: readonly string[]): ImagePart | FilePart | undefined {
  const { inlineData, fileData } = part
  if (inlineData) {
    const { mimeType = 'application/octet-stream', data } = inlineData
    const url = `data:${mimeType};base64,${inAlphabet(data)}`
    const extra = {
      ...others(part, ['inlineData', ...known]),
      ...others({ ...inlineData }, ['mimeType', 'data', 'displayName'], 'inlineData.'),
      ...(inlineData.displayName !== undefined && isImage(mimeType) && { 'inlineData.displayName': inlineData.displayName }),
    }
    return { ...inline(mimeType, url, inlineData.displayName), ...(Object.keys(extra).length > 0 && { extra }) }
  }
  if (!fileData) return undefined
  const { mimeType, fileUri } = fileData
  const extra = { ...others(part, ['fileData', ...known]), ...others({ ...fileData }, ['fileUri'], 'fileData.') }
  const place = stored.test(fileUri) ? { file_id: fileUri } : undefined
  const file: ImagePart | FilePart =
    mimeType !== undefined && isImage(mimeType)
      ? { type: 'input_image', ...(place ?? { image_url: fileUri }) }
      : { type: 'input_file', ...(place ?? { file_url: fileUri }) }
  return { ...file, ...(Object.keys(extra).length > 0 && { extra }) }
}

function inline(mimeType: string, url: string, displayName: string | undefined): ImagePart | FilePart {
  if (isImage(mimeType)) return { type: 'input_image', image_url: url }
  return { type: 'input_file', ...(displayName !== undefined && displayName !== '' && { filename: displayName }), file_data: url }
}

function isImage(mimeType: string): boolean {
  return mimeType.toLowerCase().startsWith('image/')
}

/** SDKs may write bytes in the alphabet for URLs. */
function inAlphabet(data: string): string {
  return /[-_]/.test(data) ? data.replaceAll('-', '+').replaceAll('_', '/') : data
}
