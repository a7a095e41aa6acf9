import { extensionOf, inlineDataOf, isTextFile, unsayable, type FilePart } from '../../../core/kit.ts'
import { imageFormat } from './images.ts'
import type { DocumentBlock, DocumentFormat, ImageBlock } from './wire.ts'

const formatsByExtension: Readonly<Record<string, DocumentFormat>> = {
  pdf: 'pdf',
  csv: 'csv',
  doc: 'doc',
  docx: 'docx',
  xls: 'xls',
  xlsx: 'xlsx',
  html: 'html',
  htm: 'html',
  txt: 'txt',
  md: 'md',
  markdown: 'md',
}

const formatsByType: Readonly<Record<string, DocumentFormat>> = {
  'application/pdf': 'pdf',
  'text/csv': 'csv',
  'application/msword': 'doc',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/html': 'html',
  'text/plain': 'txt',
  'text/markdown': 'md',
}

/** Names the documents of one request. The vendor allows few characters and no duplicates. */
export class DocumentNames {
  readonly #taken = new Set<string>()

  take(filename: string | undefined): string {
    const wanted = plainName(filename)
    let name = wanted
    for (let count = 2; this.#taken.has(name); count++) name = `${wanted} (${count})`
    this.#taken.add(name)
    return name
  }
}

/** Sends other text, such as source code, as plain text. */
export function fileBlock(part: FilePart, names: DocumentNames): DocumentBlock | ImageBlock {
  if (part.file_data === undefined)
    throw unsayable('input_file has a file_id, but this provider does not store files. Send file_data or file_url.', part)
  const { mediaType, base64 } = inlineDataOf(part.file_data, part) ?? { mediaType: '', base64: part.file_data }
  const image = imageFormat(mediaType)
  if (image) return { image: { format: image, source: { bytes: base64 } } }
  const format = formatOf(mediaType, part.filename)
  if (!format)
    throw unsayable(
      `input_file of type ${mediaType || `unknown (${part.filename})`} is not supported by this provider. It accepts pdf, csv, doc, docx, xls, xlsx, html, txt, md and images.`,
      part,
    )
  if (base64 === '') throw unsayable('input_file is empty.', part)
  return { document: { format, name: names.take(part.filename), source: { bytes: base64 } } }
}

/** A file with neither a type nor an extension is probably a PDF. */
function formatOf(mediaType: string, filename: string | undefined): DocumentFormat | undefined {
  const extension = extensionOf(filename)
  if (mediaType === '' || mediaType === 'application/octet-stream') {
    if (extension === undefined) return 'pdf'
    return formatsByExtension[extension] ?? (isTextFile(mediaType, filename) ? 'txt' : undefined)
  }
  const known = formatsByType[mediaType]
  // Servers also send tables and pages as plain text.
  if (known === 'txt' && extension !== undefined) return formatsByExtension[extension] ?? 'txt'
  return known ?? (isTextFile(mediaType) ? 'txt' : undefined)
}

const maxNameLength = 190

/** "DocumentBlock", name: letters, digits, single spaces, hyphens, parentheses and square brackets. */
function plainName(filename: string | undefined): string {
  const plain = (filename ?? '')
    .replace(/\.[a-z0-9]+$/i, '')
    .replace(/[^a-zA-Z0-9\s()[\]-]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, maxNameLength)
    .trim()
  return /[a-zA-Z0-9]/.test(plain) ? plain : 'document'
}
