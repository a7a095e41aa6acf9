import { posix } from 'node:path'

/** A link of a page, outside of code. */
export interface PageLink {
  readonly label: string
  /** As it is written: `upgrades.md#valkey`. */
  readonly target: string
  readonly isImage: boolean
}

const fence = /^(`{3,}|~{3,}).*\n[^]*?^\1[`~]*$/gm
const codeSpan = /(?<!`)(`+)(?!`)[^]*?[^`]\1(?!`)/g
const link = /(!?)\[((?:[^\][]|\[[^\]]*\]|\\.)*)\]\(\s*<?([^()\s<>]+)>?(?:\s+"[^"]*")?\s*\)/g

/** Replaces the links of a page whose text `change` returns. Code stays as it is. */
export function changeLinks(text: string, change: (link: PageLink) => string | undefined): string {
  return outsideCode(text, prose =>
    prose.replaceAll(link, (whole, image: string, label: string, target: string) => {
      return change({ label, target, isImage: image === '!' }) ?? whole
    }),
  )
}

export function linksOf(text: string): readonly PageLink[] {
  const links: PageLink[] = []
  changeLinks(text, link => void links.push(link))
  return links
}

/** The file that a link of a page leads to, as a path from the root. Undefined for other sites and for places of the page itself. */
export function linkedFile(page: string, target: string): string | undefined {
  if (/^([a-z][a-z+.-]*:|#|\/)/i.test(target)) return undefined
  return posix.join(posix.dirname(page), decodeURI(target.replace(/#.*/, '')))
}

/** Changes a page and leaves its code as it is. */
export function outsideCode(text: string, change: (prose: string) => string): string {
  const hidden: string[] = []
  const hide = (code: string): string => `\0${hidden.push(code) - 1}\0`
  const shown = change(text.replaceAll(fence, hide).replaceAll(codeSpan, hide))
  const show = (part: string): string => part.replaceAll(/\0(\d+)\0/g, (_, index: string) => show(hidden[Number(index)]!))
  return show(shown)
}
