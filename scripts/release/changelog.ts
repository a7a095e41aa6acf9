const unreleasedHeading = '## [Unreleased]'
/** The kinds of changes of Keep a Changelog. */
export const kindsOfChange = ['Added', 'Changed', 'Deprecated', 'Removed', 'Fixed', 'Security'] as const

export interface Section {
  /** `Unreleased`, or a version. */
  readonly name: string
  readonly date: string | undefined
  readonly text: string
}

/** The sections of CHANGELOG.md, the newest first. */
export function sectionsOf(changelog: string): readonly Section[] {
  const [, ...parts] = changelog.replace(/^\[[^\]]+\]: \S+\n/gm, '').split(/^## /m)
  return parts.map(part => {
    const [heading = '', ...lines] = part.split('\n')
    const [, name, date] = /^\[([^\]]+)\](?: - (\d{4}-\d\d-\d\d))?$/.exec(heading) ?? []
    if (name === undefined || (name !== 'Unreleased' && date === undefined))
      throw new Error(`Expected a heading such as '## [Unreleased]' or '## [0.2.0] - 2026-12-01' in CHANGELOG.md, but got '## ${heading}'.`)
    return { name, date, text: lines.join('\n').trim() }
  })
}

/** The release notes: the section of the version, or what is not released yet. */
export function notesOf(changelog: string, version: string): string {
  const sections = sectionsOf(changelog)
  const section = sections.find(({ name }) => name === version) ?? sections.find(({ name }) => name === 'Unreleased')
  if (!section || section.text === '')
    throw new Error(`CHANGELOG.md says nothing about ${version}: write below '${unreleasedHeading}' what changed for users.`)
  return section.text
}

/** The changelog after the release of what was unreleased. */
export function released(changelog: string, version: string, date: string, home: string): string {
  notesOf(changelog, version)
  if (sectionsOf(changelog).some(({ name }) => name === version))
    throw new Error(`CHANGELOG.md already has ${version}: choose a higher version.`)
  const text = changelog
    .replace(/^\[[^\]]+\]: \S+\n?/gm, '')
    .trimEnd()
    .replace(unreleasedHeading, () => `${unreleasedHeading}\n\n## [${version}] - ${date}`)
  const names = [version, ...sectionsOf(changelog).flatMap(({ name }) => (name === 'Unreleased' ? [] : [name]))]
  return home === '' ? `${text}\n` : `${text}\n\n${linksOf(home, names)}`
}

/** The versions in the headings are links: to the comparison with the one before, and for the first one to its source. */
function linksOf(home: string, versions: readonly string[]): string {
  const lines = versions.map((version, index) => {
    const before = versions[index + 1]
    return `[${version}]: ${home}/${before === undefined ? `releases/tag/v${version}` : `compare/v${before}...v${version}`}`
  })
  return [`[Unreleased]: ${home}/compare/v${versions[0]}...HEAD`, ...lines, ''].join('\n')
}
