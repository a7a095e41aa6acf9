const typesByExtension = new Map(
  Object.entries({
    pdf: 'application/pdf',
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    mp3: 'audio/mpeg',
    wav: 'audio/wav',
    txt: 'text/plain',
    md: 'text/markdown',
    csv: 'text/csv',
    html: 'text/html',
    xml: 'text/xml',
    json: 'application/json',
    yaml: 'application/yaml',
    yml: 'application/yaml',
  }),
)

/** The media type for the extension of a file name or URL. Undefined if the extension is unknown. */
export function fileTypeOf(name: string | undefined): string | undefined {
  const extension = extensionOf(name)
  return extension === undefined ? undefined : typesByExtension.get(extension)
}

/** The extension of a file name or URL: lower case, without the dot. */
export function extensionOf(name = ''): string | undefined {
  const path = /^[a-z]+:\/\//i.test(name) ? name.replace(/[?#].*$/s, '') : name
  return /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase()
}
