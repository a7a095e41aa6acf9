import type { JsonObject, Registry } from '../../../core/index.ts'
import { openApiDocument, type Undescribed } from '../../../core/kit.ts'
import { accountFieldsAt, keyFields, recordFields } from '../../../core/stores.ts'
import type { AdminExchange, AdminRoute, AdminServices, AlertTargets } from '../../../core/admin.ts'
import { accountChangeSchemas, byLevel, newAccountSchemas } from './account-change.ts'
import { Accounts } from './accounts.ts'
import { auditFilters, listAudit } from './audit-list.ts'
import { Credits, creditSchema } from './credits.ts'
import { described, type Shown } from './descriptions.ts'
import { shownSchema } from './field-schemas.ts'
import { GatewayFacts } from './gateway-facts.ts'
import { keyChangeSchema, newKeySchema } from './key-change.ts'
import { Keys, rotationSchema } from './keys.ts'
import { listTrials, play, playgroundSchema } from './playground.ts'
import { pageParameters } from './query.ts'
import { recordParameters } from './record-query.ts'
import { Records, usageParameters } from './records.ts'
import { json } from './replies.ts'
import { listRoutes } from './route-list.ts'
import type { Stores } from './stores.ts'
import { newTokenSchema, Tokens } from './tokens.ts'

const base = '/admin/v1'
const levels = { orgs: 'org', teams: 'team', users: 'user' } as const

const shownKey: Shown = ['Key', shownSchema(keyFields, 'key')]
const shownRecord: Shown = ['Record', shownSchema(recordFields, 'record')]
const shownAccounts = byLevel((level): Shown => {
  const name = { org: 'Organization', team: 'Team', user: 'User' }[level]
  return [name, shownSchema(accountFieldsAt(level))]
})

/** Every route of the admin API. */
export function adminRoutes(
  stores: Stores,
  all: Registry<AdminRoute>,
  guardrails: () => readonly string[],
  undescribed: Undescribed,
  alertTargets?: AlertTargets,
): readonly AdminRoute[] {
  const keys = new Keys(stores, guardrails)
  const credits = new Credits(stores)
  const records = new Records(stores, keys)
  const facts = new GatewayFacts(stores)
  const tokens = new Tokens(stores)
  let document: JsonObject | undefined
  return [
    ...Object.keys(levels).flatMap(name => accountRoutes(stores, name as keyof typeof levels, alertTargets)),
    get('/orgs/:id/credits', 'org', e => credits.list(e), { summary: 'The balance and its entries', query: pageParameters }),
    post('/orgs/:id/credits', 'all', (e, g) => credits.add(e, g), {
      summary: 'Add or deduct credit',
      request: creditSchema,
      status: 201,
    }),
    get('/keys', 'org', (e, g) => keys.list(e, g), {
      summary: 'List keys. If the policy of a key is not available, its policy_source is null, and policy_error says why',
      query: [...pageParameters, 'org', 'team', 'user'],
      lists: shownKey,
    }),
    post('/keys', 'org', (e, g) => keys.create(e, g), {
      summary: 'Create a key, and show it only once',
      request: newKeySchema,
      shows: shownKey,
      status: 201,
    }),
    get('/keys/:id', 'org', (e, g) => keys.get(e, g), {
      summary: 'A key. If its policy is not available, policy_source is null, and policy_error says why',
      shows: shownKey,
    }),
    change('PATCH', '/keys/:id', (e, g) => keys.update(e, g), { summary: 'Change a key', request: keyChangeSchema, shows: shownKey }),
    change('DELETE', '/keys/:id', (e, g) => keys.remove(e, g), { summary: 'Delete a key' }),
    post('/keys/:id/rotate', 'org', (e, g) => keys.rotate(e, g), {
      summary: 'Give a key a new secret',
      request: rotationSchema,
      shows: shownKey,
    }),
    get('/keys/:id/policy', 'org', (e, g) => keys.policy(e, g), { summary: 'The policy of a key, and the level that sets each field' }),
    get('/records', 'org', (e, g) => records.list(e, g), {
      summary: 'List records of requests',
      query: [...pageParameters, ...recordParameters],
      lists: shownRecord,
    }),
    get('/records/export', 'org', (e, g) => records.export(e, g), {
      summary: 'All records that match, as JSON lines',
      query: recordParameters,
      shows: shownRecord,
      contentType: 'application/jsonl',
    }),
    get('/records/:id', 'org', (e, g) => records.get(e, g), { summary: 'A record', query: ['content'], shows: shownRecord }),
    get('/usage', 'org', (e, g) => records.usage(e, g), { summary: 'Requests, tokens and cost over time', query: usageParameters }),
    get('/audit', 'org', e => listAudit(stores, e), { summary: 'Who changed what', query: [...pageParameters, ...auditFilters] }),
    get('/metrics/endpoints', 'all', (e, g) => facts.metrics(e, g), {
      summary: 'The recent performance of endpoints',
      query: [...pageParameters, 'interval'],
    }),
    get('/providers', 'all', (e, g) => facts.providers(e, g), {
      summary: 'The providers and their credentials, without secrets',
      query: pageParameters,
    }),
    get('/load', 'all', (e, g) => facts.load(e, g), { summary: 'What is in progress in all processes of the gateway' }),
    get('/models', 'all', (e, g) => facts.models(e, g), { summary: 'The catalog', query: [...pageParameters, 'search'] }),
    get('/plugins', 'all', (e, g) => facts.plugins(e, g), { summary: 'The plugins, and what they add', query: pageParameters }),
    get('/config', 'all', (e, g) => facts.config(e, g), { summary: 'The options in effect, with secrets masked' }),
    get('/routes', 'org', (e, g) => listRoutes(keys, e, g), {
      summary: 'The order in which a request would try endpoints now, and why',
      query: ['model', 'sort', 'interval', 'key'],
    }),
    get('/playground', 'org', (_, g) => listTrials(g), { summary: 'The surfaces that can be tried, each with an example' }),
    post('/playground/:name', 'org', (e, g) => play(stores, keys, e, g), {
      summary: 'Send a request to a surface as a key',
      request: playgroundSchema,
    }),
    owner('GET', '/admin-tokens', e => tokens.list(e), { summary: 'List admin tokens', query: pageParameters }),
    owner('POST', '/admin-tokens', (e, g) => tokens.create(e, g), {
      summary: 'Create an admin token, and show it only once',
      request: newTokenSchema,
      status: 201,
    }),
    owner('DELETE', '/admin-tokens/:id', (e, g) => tokens.remove(e, g), { summary: 'Delete an admin token' }),
    {
      method: 'GET',
      path: '/admin/openapi.json',
      role: 'viewer',
      reach: 'org',
      handle: () =>
        json(
          (document ??= openApiDocument(
            all.values().map(route => ({ ...route, auth: route.role })),
            api,
            undescribed,
          )),
        ),
      describe: () => described({ summary: 'This description' }),
    },
  ]
}

const api = {
  title: 'Turnpike admin',
  description: 'Accounts, keys, records and the state of a gateway. It has a listener of its own.',
  credential: { name: 'adminToken', description: 'An admin token: ta_<id>_<secret>, or the value of GATEWAY_ADMIN_TOKEN.' },
}

function accountRoutes(stores: Stores, name: keyof typeof levels, alertTargets: AlertTargets | undefined): readonly AdminRoute[] {
  const level = levels[name]
  const accounts = new Accounts(stores, level, alertTargets)
  const noun = { org: 'an organization', team: 'a team', user: 'a user' }[level]
  const filters = level === 'org' ? [] : level === 'team' ? ['org'] : ['org', 'team']
  // A token of one organization neither makes nor ends organizations.
  const reach = level === 'org' ? 'all' : 'org'
  const shown = shownAccounts[level]
  const ambiguous = level === 'org' ? [] : ['org']
  return [
    get(`/${name}`, 'org', e => accounts.list(e), { summary: `List ${name}`, query: [...pageParameters, ...filters], lists: shown }),
    post(`/${name}`, reach, (e, g) => accounts.create(e, g), {
      summary: `Create ${noun}`,
      request: newAccountSchemas[level],
      shows: shown,
      status: 201,
    }),
    get(`/${name}/:id`, 'org', e => accounts.get(e), {
      summary: `Read ${noun}`,
      query: ambiguous,
      shows: shown,
      mayConflict: level !== 'org',
    }),
    change('PATCH', `/${name}/:id`, (e, g) => accounts.update(e, g), {
      summary: `Change ${noun}`,
      request: accountChangeSchemas[level],
      shows: shown,
      query: ambiguous,
    }),
    {
      ...change('DELETE', `/${name}/:id`, (e, g) => accounts.remove(e, g), {
        summary: `Delete ${noun} without keys and accounts below`,
        query: ambiguous,
        mayConflict: true,
      }),
      reach,
    },
  ]
}

type Handle = (exchange: AdminExchange, gateway: AdminServices) => ReturnType<AdminRoute['handle']>
type Description = Parameters<typeof described>[0]

function get(path: string, reach: AdminRoute['reach'], handle: Handle, description: Description): AdminRoute {
  return { method: 'GET', path: `${base}${path}`, role: 'viewer', reach, handle, describe: () => described(description) }
}

function post(path: string, reach: AdminRoute['reach'], handle: Handle, description: Description): AdminRoute {
  return { method: 'POST', path: `${base}${path}`, role: 'editor', reach, handle, describe: () => described(description) }
}

function change(method: 'PATCH' | 'DELETE', path: string, handle: Handle, description: Description): AdminRoute {
  return { method, path: `${base}${path}`, role: 'editor', reach: 'org', handle, describe: () => described(description) }
}

function owner(method: AdminRoute['method'], path: string, handle: Handle, description: Description): AdminRoute {
  return { method, path: `${base}${path}`, role: 'owner', reach: 'org', handle, describe: () => described(description) }
}
