import { longChecks } from './tests/long-checks.ts'
import type { LongResult } from './tests/long-results.ts'

/** `docs/long-checks.md`. */
export function longChecksPage(results: readonly LongResult[]): string {
  const rows = longChecks.map(({ name, difference }) => {
    const result = results.find(each => each.name === name)
    return `| ${name} | ${difference} | ${result ? outcome(result) : 'not run'} | ${result ? `${result.date}, \`${result.commit}\`` : ''} |`
  })
  return `<!-- Written by \`npm run test:long\` from scripts/tests/long-checks.ts and long-results.json. -->

# Long checks

\`npm test\` has a short form of each check below, so that it takes minutes. \`npm run test:long\` runs them at full length; run it before a release, and before you call a larger change done. It needs what \`.ci/run\` installs (Postgres, schemathesis), and wrk for the memory check.

| check | beyond the short form | last result | when, at which commit |
|---|---|---|---|
${rows.join('\n')}
`
}

function outcome({ passed, failed, skipped, seconds }: LongResult): string {
  const counts = [`${passed.toLocaleString('en-US')} passed`, failed > 0 && `**${failed} failed**`, skipped > 0 && `${skipped} skipped`]
  return `${counts.filter(Boolean).join(', ')} in ${seconds} s`
}
