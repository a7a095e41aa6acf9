/**
 * Where the source is hosted, such as `https://github.com/acme/turnpike`. The manifest and the pages of the published package get all their
 * addresses from it. Empty as long as there is no such place: then a release stops.
 */
export const repository: string = ''

/** The members of the published package.json that lead to the project. */
export function addressMembers(home: string): Readonly<Record<string, unknown>> {
  if (home === '') return {}
  return {
    homepage: `${home}#readme`,
    bugs: { url: `${home}/issues` },
    repository: { type: 'git', url: `git+${home}.git` },
  }
}

/** A file of one version, as people read it, or as a browser shows an image. */
export function fileAddress(home: string, version: string, path: string): string {
  return `${home}/${/\.(png|svg)$/.test(path) ? 'raw' : 'blob'}/v${version}/${path}`
}

/** The reason why the package cannot be released from this address, if there is one. */
export function addressProblem(home: string): string | undefined {
  if (home === '')
    return (
      'The address of the repository is not known, so the package on npm could not lead to its source, its issues and its pages. ' +
      'Set `repository` in scripts/release/addresses.ts, such as https://github.com/acme/turnpike.'
    )
  if (!/^https:\/\/[^\s/]+(\/[^\s/]+)+$/.test(home) || home.endsWith('.git'))
    return `Expected the address of the repository as people open it, such as https://github.com/acme/turnpike, but scripts/release/addresses.ts has '${home}'.`
  return undefined
}
