/** A part of a document under one heading. */
export interface Section {
  /** Of the file, from the folder, with slashes. */
  readonly path: string
  readonly title: string
  /** As web sites derive it from a heading. Empty for text before the first heading, and for the heading of the whole page. */
  readonly anchor: string
  readonly text: string
}

const heading = /^(#{1,6}) +(.+?) *#*$/

/** Splits a document at its headings. A text without headings is one section, named after the file. */
export function sectionsOf(path: string, document: string): readonly Section[] {
  const sections: Section[] = []
  let page = path.slice(path.lastIndexOf('/') + 1).replace(/\.\w+$/, '')
  let title = page
  let anchor = ''
  let lines: string[] = []
  let fence: string | undefined
  const close = (): void => {
    const text = lines.join('\n').trim()
    if (text !== '') sections.push({ path, title, anchor, text })
    lines = []
  }
  for (const line of document.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const [mark] = /^ {0,3}(```+|~~~+)/.exec(line)?.slice(1) ?? []
    if (mark !== undefined) fence = fence === undefined ? mark : line.trim().startsWith(fence) ? undefined : fence
    const [, level, words] = (fence === undefined && heading.exec(line)) || []
    if (level === undefined || words === undefined) {
      lines.push(line)
      continue
    }
    close()
    if (level === '#' && sections.length === 0) [page, title, anchor] = [words, words, '']
    else [title, anchor] = [words === page ? page : `${page}: ${words}`, slug(words)]
  }
  close()
  return sections
}

function slug(words: string): string {
  return words
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')
}
