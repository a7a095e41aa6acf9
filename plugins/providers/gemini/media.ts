import { extensionOf, fileTypeOf } from '../../../core/kit.ts'

/** "Image understanding", "Document understanding", "Audio understanding", "Video understanding": supported types beyond those common to all vendors. */
const typesByExtension = new Map(
  Object.entries({
    heic: 'image/heic',
    heif: 'image/heif',
    rtf: 'text/rtf',
    mp3: 'audio/mp3',
    aiff: 'audio/aiff',
    aac: 'audio/aac',
    ogg: 'audio/ogg',
    flac: 'audio/flac',
    m4a: 'audio/m4a',
    mp4: 'video/mp4',
    mpeg: 'video/mpeg',
    mpg: 'video/mpeg',
    mov: 'video/quicktime',
    webm: 'video/webm',
  }),
)

/** The media type for the extension of a file name or URL. */
export function mediaTypeByName(name: string): string | undefined {
  return typesByExtension.get(extensionOf(name) ?? '') ?? fileTypeOf(name)
}
