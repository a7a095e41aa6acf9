import GithubSlugger from 'github-slugger'
import { outsideCode } from '../../scripts/release/links.ts'

/** The anchors of a page's headings, as code hosts make them. */
export function placesOf(text: string): ReadonlySet<string> {
  const slugger = new GithubSlugger()
  const headings = withoutFences(text).matchAll(/^#{1,6} (.+?)(?: #+)?$/gm)
  return new Set(Array.from(headings, ([, heading]) => slugger.slug(shownText(heading!))))
}

function withoutFences(text: string): string {
  return text.replaceAll(/^(`{3,}|~{3,}).*\n[^]*?^\1[`~]*$/gm, '')
}

/** Without the marks of code, links and emphasis. */
function shownText(heading: string): string {
  return outsideCode(heading, prose => prose.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/\*+/g, '')).replaceAll('`', '')
}
