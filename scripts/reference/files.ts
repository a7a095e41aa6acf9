import { apiReport } from './api-report.ts'
import { committedReport, reportFile } from './committed-report.ts'
import type { DeclaredApi } from './declared-api.ts'
import { referenceIndex, referencePage } from './reference-page.ts'

/** The reports and pages about the doors, by their paths from the root of the repository. */
export function referenceFiles(apis: readonly DeclaredApi[]): ReadonlyMap<string, string> {
  return new Map([
    ...apis.flatMap(api => {
      const committed = committedReport(api.door)
      return [
        [reportFile(api.door), apiReport(api, committed)] as const,
        [`docs/reference/${api.door.page}.md`, referencePage(api, committed)] as const,
      ]
    }),
    ['docs/reference/README.md', referenceIndex(apis)],
  ])
}
