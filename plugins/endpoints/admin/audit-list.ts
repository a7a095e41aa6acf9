import type { AdminExchange } from '../../../core/admin.ts'
import type { Reply } from '../../../core/index.ts'
import { pageParameters, Query } from './query.ts'
import { page, time } from './replies.ts'
import type { Stores } from './stores.ts'

export const auditFilters = ['org', 'actor', 'target', 'from', 'to'] as const

/** Who changed what. A token of one organization sees the changes of that organization. */
export async function listAudit({ audit }: Stores, { admin, query: parameters }: AdminExchange): Promise<Reply> {
  const query = new Query(parameters, [...pageParameters, ...auditFilters])
  const { pageLimit, ...wanted } = query.page('audit')
  const org = query.text('org')
  const isHidden = admin.org !== undefined && org !== undefined && org !== admin.org
  const filter = {
    org: admin.org ?? org,
    actor: query.text('actor'),
    target: query.text('target'),
    ...query.range(),
  }
  const found = isHidden ? [] : await audit.page(filter, wanted)
  return await page(
    'audit',
    found,
    pageLimit,
    entry => entry,
    entries => entries.map(({ at, ...entry }) => ({ object: 'audit_entry', ...entry, created_at: time(at) })),
  )
}
