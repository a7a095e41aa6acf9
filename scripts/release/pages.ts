import { fileAddress } from './addresses.ts'
import { changeLinks, linkedFile, outsideCode } from './links.ts'

export interface PackedPages {
  /** The address of the repository. Empty if it is not known. */
  readonly home: string
  readonly version: string
  readonly isShipped: (path: string) => boolean
}

/**
 * A page as the package has it, without comments and what stands between `<!-- repository -->` and `<!-- /repository -->`. npm shows only the README, so all its links lead to the repository; the links of other pages do so where
 * the file is not in the package. While the repository has no address, links stay as they are, and those to nowhere are only text.
 */
export function packedPage(path: string, text: string, { home, version, isShipped }: PackedPages): string {
  const leadsNowhere = (target: string): boolean => {
    const file = linkedFile(path, target)
    return home === '' && file !== undefined && !isShipped(file)
  }
  return changeLinks(withoutEntries(withoutComments(forUsers(text)), leadsNowhere), ({ label, target, isImage }) => {
    const file = linkedFile(path, target)
    if (file === undefined) return undefined
    const isHere = isShipped(file)
    if (isHere && (path !== 'README.md' || home === '')) return undefined
    if (home === '') return label
    const [, place = ''] = target.split('#')
    const address = `${fileAddress(home, version, file.replace(/\/$/, ''))}${place && `#${place}`}`
    return `${isImage ? '!' : ''}[${label}](${address})`
  })
}

/** Without the rows of tables and lists that are about a page which nobody can open. */
function withoutEntries(text: string, leadsNowhere: (target: string) => boolean): string {
  return text.replaceAll(/^(?:\| |- )\[[^\]]*\]\(([^)]+)\).*\n/gm, (line, target: string) => (leadsNowhere(target) ? '' : line))
}

/** Without what only people who have the repository can use. */
function forUsers(text: string): string {
  return text
    .replaceAll(/^<!-- repository -->\n[^]*?^<!-- \/repository -->\n\n?/gm, '')
    .replaceAll(/<!-- repository -->[^\n]*?<!-- \/repository -->/g, '')
}

function withoutComments(text: string): string {
  return outsideCode(text, prose => prose.replaceAll(/^<!--[^]*?-->\n+/gm, ''))
}

const doors: Readonly<Record<string, string>> = {
  'core/index': 'turnpike',
  'core/kit': 'turnpike/kit',
  'dialects/index': 'turnpike/dialects',
  'core/stores': 'turnpike/stores',
  'core/admin': 'turnpike/admin',
  'core/gateway': 'turnpike/gateway',
  'core/testing/index': 'turnpike/testing',
}

/** A source of a plugin as the package has it: it imports the doors as a plugin of somebody else does, so that it can be copied. */
export function packedSource(text: string): string {
  return text.replaceAll(/(["'])(?:\.\.\/)+((?:core|dialects)\/[\w/]+)\.ts\1/g, (whole, quote: string, file: string) => {
    const door = doors[file]
    return door === undefined ? whole : `${quote}${door}${quote}`
  })
}
