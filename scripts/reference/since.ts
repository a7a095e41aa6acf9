/** Stands for the version of names and members that are in no release yet. A release writes its version in its place. */
export const unreleased = 'unreleased'

/** For a report. */
export function sinceLine(name: string, version: string): string {
  return `// ${name}, since ${version}`
}

/** For a page. */
export function sinceSentence(version: string): string {
  return version === unreleased ? 'Not in a release yet.' : `Since ${version}.`
}

/** A report or a page, as a release of this version has it. */
export function atRelease(text: string, version: string): string {
  return text
    .replaceAll(sinceSentence(unreleased), sinceSentence(version))
    .replace(/^(\/\/ .+, since )unreleased$/gm, (_, line: string) => `${line}${version}`)
}
