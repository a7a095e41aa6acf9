import t from 'tap'
import { apiReport } from '../../scripts/reference/api-report.ts'
import { CommittedReport, nextVersion } from '../../scripts/reference/committed-report.ts'
import { declaredText } from '../../scripts/reference/declaration-text.ts'
import type { DeclaredApi } from '../../scripts/reference/declared-api.ts'
import { doors } from '../../scripts/reference/doors.ts'
import { referencePage } from '../../scripts/reference/reference-page.ts'
import { atRelease, unreleased } from '../../scripts/reference/since.ts'

const first = `interface Plan {
  /** The steps. */
  readonly steps: readonly {
    /** One word. */
    readonly verb: string;
  }[];
}`
const second = first.replace(
  'readonly verb: string;',
  `readonly verb: string;
    /** Where it leads. */
    readonly goal?: {
      /** An address. */
      readonly url: string;
    };`,
)
const third = second.replace(
  'readonly url: string;',
  `readonly url: string;
      readonly kind: 'far';`,
)

const api = (texts: Readonly<Record<string, string>>): DeclaredApi => ({
  door: doors.find(({ page }) => page === 'kit')!,
  exported: Object.entries(texts).map(([name, text]) => declaredText(name, text)),
  shown: [],
})
const report = (text: string, version: string, before: string): string =>
  apiReport(api({ Plan: text }), new CommittedReport(before, version))
const linesOf = (text: string): readonly string[] => text.split('\n').filter(line => line.startsWith('//'))

const released = report(first, '0.1.0', '')
const next = report(second, '0.2.0', released)

t.test('members that are as old as their name have no line', async t => {
  t.same(linesOf(released), ['// Plan, since 0.1.0'])
  t.equal(report(first, '0.2.0', released), released)
})

t.test('a member that the committed report does not have is new in this version, with all that it has', async t => {
  t.same(linesOf(next), ['// Plan, since 0.1.0', '// Plan.steps.goal, since 0.2.0'])
})

t.test('later reports keep its version', async t => {
  t.equal(report(second, '0.2.0', next), next)
  t.equal(report(second, '0.3.0', next), next)
  t.same(linesOf(report(third, '0.3.0', next)), [
    '// Plan, since 0.1.0',
    '// Plan.steps.goal, since 0.2.0',
    '// Plan.steps.goal.kind, since 0.3.0',
  ])
})

t.test('a member that is gone has no line', async t => {
  t.equal(report(first, '0.3.0', next), released)
})

t.test('`@since` in the comment of a member counts more', async t => {
  const moved = second.replace('Where it leads.', 'Where it leads. @since 0.1.5')
  const text = report(moved, '0.3.0', next)
  t.same(linesOf(text), ['// Plan, since 0.1.0', '// Plan.steps.goal, since 0.1.5'])
})

t.test('a new name needs no lines for its members', async t => {
  const both = apiReport(
    api({ Plan: first, Trip: 'interface Trip {\n  readonly days: number;\n}' }),
    new CommittedReport(released, '0.2.0'),
  )
  t.same(linesOf(both), ['// Plan, since 0.1.0', '// Trip, since 0.2.0'])
})

t.test('the page says since when a member exists, described or not', async t => {
  const page = referencePage(api({ Plan: third }), new CommittedReport(next, '0.3.0'))
  t.match(page, '\nSince 0.1.0.\n')
  t.match(page, '| `steps.verb` | One word. |\n')
  t.match(page, '| `steps.goal` | Where it leads. Since 0.2.0. |\n')
  t.match(page, '| `steps.goal.url` | An address. |\n')
  t.match(page, '| `steps.goal.kind` | Since 0.3.0. |\n')
})

t.test('after a release, what is new waits for the version of the next one', async t => {
  const changelog = '# Changelog\n\n## [Unreleased]\n\n## [0.1.0] - 2026-12-01\n'
  t.equal(nextVersion(changelog, '0.1.0'), unreleased)
  t.equal(nextVersion(changelog, '0.2.0'), '0.2.0')
  const waiting = report(second, unreleased, released)
  t.same(linesOf(waiting), ['// Plan, since 0.1.0', '// Plan.steps.goal, since unreleased'])
  t.equal(report(second, unreleased, waiting), waiting)
  t.equal(atRelease(waiting, '0.2.0'), next)
  const pageOf = (text: string): string => referencePage(api({ Plan: second }), new CommittedReport(text, unreleased))
  t.match(pageOf(waiting), '| `steps.goal` | Where it leads. Not in a release yet. |\n')
  t.equal(atRelease(pageOf(waiting), '0.2.0'), pageOf(next))
})
