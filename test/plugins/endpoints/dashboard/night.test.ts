import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import t, { type Test } from 'tap'
import type { AttemptRecord, RequestRecord } from '../../../../core/contracts/log-sink.ts'
import { accessibilityProblems, noBrowser, openBrowser, openPage, type WatchedPage } from './browser.ts'
import { addAlerts } from './demo-alerts.ts'
import { addRecordsAt, type DemoKey } from './demo-records.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

const markup = '<img src=x onerror="window.injected = true">'
const backwards = '\u202Egnp.exe'
const long = `models/${'a-very-long-name-'.repeat(12)}`.slice(0, 200)

t.test('what an operator sees at night', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  await stage.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await stage.call('POST', '/orgs', { id: 'globex', name: 'Globex' })
  const { id: keyId } = await stage.call('POST', '/keys', { name: 'Shop', org: 'acme' })
  const key: DemoKey = { id: keyId, org: 'acme', team: null }
  const now = Date.now() - 60_000
  const idAt = (at: number): string => `req_at0_${at}`
  const opened = async (t: Test, path: string, token?: string): Promise<WatchedPage> => {
    const watched = await openPage(browser, stage.adminUrl, { height: 1_400 })
    t.teardown(() => watched.page.context().close())
    await signIn(watched.page, stage, token)
    await watched.page.goto(`${stage.adminUrl}/${path}`)
    await watched.settled()
    return watched
  }
  const { page, problems, settled } = await opened(t, '')
  const open = async (path: string, width = 1280): Promise<void> => {
    await page.setViewportSize({ width, height: 1_400 })
    await page.goto(`${stage.adminUrl}/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await settled()
  }
  const dialog = page.getByRole('dialog')

  await t.test('a request that failed says when and why, to scale', async t => {
    const attempts: readonly AttemptRecord[] = [
      { provider: 'north', model: long, outcome: 'overloaded', status: 529, startedMs: 10, elapsedMs: 190 },
      { provider: 'south', model: markup, outcome: 'outrun', status: null, startedMs: 300, elapsedMs: 700 },
      { provider: backwards, model: backwards, outcome: 'timeout', status: null, startedMs: 500, elapsedMs: 500 },
    ]
    const words = { errorMessage: `It said ${markup}${backwards} …`, errorParam: `metadata.${long}`, reason: 'vendor' } as const
    const failed = { status: 424, errorCode: 'provider_error', elapsedMs: 1_000, attempts, usage: null, ...words }
    await addRecordsAt(stage.database, key, [now], failed)
    await open(`logs?record=${idAt(now)}`)
    const why = page.getByRole('region', { name: 'Why it failed' })
    t.match(
      await why.innerText(),
      /No provider answered[\s\S]*It said <img[\s\S]*provider_error[\s\S]*because logging was off[\s\S]*What you can do/,
    )
    const steps = page.locator('.waterfall .step')
    t.equal(await steps.count(), 5, 'the gateway, three attempts, and the pause between two of them')
    t.equal(await steps.getByText('side by side').count(), 2)
    const [track, bar] = [await boxOf(page, '.step-track', 3), await boxOf(page, '.step-track > .part', 3)]
    t.ok(Math.abs((bar.x - track.x) / track.width - 0.3) < 0.01, 'a bar begins at its part of the whole')
    t.ok(Math.abs(bar.width / track.width - 0.7) < 0.01, 'and is as long as its part')
    await page.getByText('The same as a table').press('Enter')
    const table = page.getByRole('region', { name: 'Times after the arrival' })
    t.match(await table.getByRole('row').nth(2).innerText(), /10 ms[\s\S]*190 ms[\s\S]*200 ms/)
    t.same(await accessibilityProblems(page), [])
    t.equal(await page.evaluate('window.injected'), undefined)
    await page.getByRole('radio', { name: 'Dark' }).press('Space')
    await page.locator('html[data-theme="dark"]').waitFor()
    t.same(await accessibilityProblems(page), [], 'with dark colors')
    t.same(problems, [])
  })

  await t.test('thirty attempts, 2 ms and 20 minutes stay readable on a phone', async t => {
    const many = Array.from({ length: 30 }, (_, index): AttemptRecord => {
      const isLast = index === 29
      return {
        provider: 'north',
        model: long,
        outcome: isLast ? 'ok' : 'rate-limit',
        status: 429,
        startedMs: index * 40_000,
        elapsedMs: 40_000,
      }
    })
    await addRecordsAt(stage.database, key, [now + 1], { elapsedMs: 1_200_000, attempts: many })
    await addRecordsAt(stage.database, key, [now + 2], { elapsedMs: 2, attempts: [{ ...many[0]!, startedMs: 0.4, elapsedMs: 0.02 }] })
    await open(`logs?record=${idAt(now + 1)}`, 390)
    t.equal(await page.locator('.waterfall .step').count(), 30)
    t.match(await page.locator('.waterfall-axis').innerText(), /5 min\s+10 min/)
    t.equal(await overflow(page), 0)
    await page.goto(`${stage.adminUrl}/logs?record=${idAt(now + 2)}`)
    await page.locator('.step').nth(1).waitFor()
    t.match(await page.locator('.step').nth(1).innerText(), /0\.02 ms/)
    t.ok((await boxOf(page, '.part.failed', 0)).width >= 3, 'the shortest attempt can be seen')
    t.equal(await overflow(page), 0)
  })

  await t.test('requests are sorted and filtered, and the address says how', async t => {
    const common = { org: 'globex', usage: null, inputTokens: 10 } as const
    for (const [index, members] of [
      { elapsedMs: 9_000, costUsd: 0.1, outputTokens: 5, firstEventMs: 20 },
      { elapsedMs: 50, costUsd: 0.3, outputTokens: 900, firstEventMs: 30 },
      {
        elapsedMs: 700,
        status: 402,
        errorCode: 'insufficient_credits',
        reason: 'cap',
        reasonLevel: 'team',
        costUsd: null,
        outputTokens: 1,
        firstEventMs: null,
      },
      {
        elapsedMs: 800,
        status: 200,
        stream: true,
        errorCode: 'provider_error',
        reason: 'vendor',
        costUsd: 0.2,
        outputTokens: 2,
        firstEventMs: 600,
      },
    ].entries())
      await addRecordsAt(stage.database, key, [now + 100 + index], { ...common, ...(members as Partial<RequestRecord>) })
    await open('logs?org=globex')
    const rows = async (): Promise<readonly string[]> => {
      await settled()
      return await page.locator('td[data-head=Duration]').allInnerTexts()
    }
    t.same(await rows(), ['800 ms', '700 ms', '50 ms', '9 s'])
    const head = page.getByRole('columnheader', { name: 'Duration' })
    await head.getByRole('button').click()
    await page.waitForURL(/sort=elapsed_ms$/)
    t.same(await rows(), ['9 s', '800 ms', '700 ms', '50 ms'])
    t.equal(await head.getAttribute('aria-sort'), 'descending')
    await head.getByRole('button').press('Enter')
    await page.waitForURL(/order=asc/)
    t.same(await rows(), ['50 ms', '700 ms', '800 ms', '9 s'])
    await page.reload()
    t.same(await rows(), ['50 ms', '700 ms', '800 ms', '9 s'], 'also when the page is loaded again')
    t.equal(await head.getAttribute('aria-sort'), 'ascending')
    for (const [order, expected] of [
      ['Most expensive', ['50 ms', '800 ms', '9 s']],
      ['Latest first event', ['800 ms', '50 ms', '9 s']],
      ['Most tokens', ['50 ms', '9 s', '800 ms', '700 ms']],
    ] as const) {
      await page.getByLabel('Sort by').selectOption(order)
      t.same(await rows(), expected, order)
    }
    t.same(await accessibilityProblems(page), [])
    await page.getByLabel('Sort by').selectOption('Newest')
    t.match(page.url(), /logs\?org=globex$/)
    await page.getByLabel('Status').selectOption('failed')
    t.same(await rows(), ['800 ms', '700 ms'], 'a stream that broke off failed, too')
    await page.getByLabel('Class of failure').selectOption('cap')
    t.same(await rows(), ['700 ms'])
    await page.getByLabel('Class of failure').selectOption('')
    await page.getByLabel('Error code').fill('provider_error')
    t.same(await rows(), ['800 ms'])
    await page.locator('tbody .row-link').click()
    t.match(await page.getByRole('region', { name: 'Why it failed' }).innerText(), /Requests with this code/)
    await page.locator('.above').click()
    await page.waitForURL(/logs\?/)
    t.same(Object.fromEntries(new URL(page.url()).searchParams), { org: 'globex', status: 'failed', error_code: 'provider_error' })
    await page.getByRole('link', { name: 'Clear' }).click()
    await page.getByLabel('Organization').fill('globex')
    await page.getByLabel('Least duration, ms').fill('750')
    t.same(await rows(), ['800 ms', '9 s'])
    await page.goto(`${stage.adminUrl}/?by=org`)
    await page.getByRole('link', { name: /Latency, p95/ }).click()
    await page.waitForURL(/logs\?(?=.*sort=elapsed_ms)/)
    t.same(problems, [])
  })

  await t.test('alerts are counted, acknowledged and silenced', async t => {
    await addAlerts(stage.database, [
      { id: 'alert_cap', kind: 'cap', org: 'acme', subject: `key:${keyId}`, severity: 'warning', title: `Key ${markup} has spent 80%` },
      { id: 'alert_down' },
      { id: 'alert_long', kind: 'latency', subject: `model:north/${long}`, title: `${long}${backwards}`, severity: 'warning' },
    ])
    await open('alerts')
    const nav = page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Alerts/ })
    t.match(await nav.innerText(), /Alerts\s*3/)
    t.same(await accessibilityProblems(page), [])
    t.equal(await page.getByRole('link', { name: `key:${keyId}` }).getAttribute('href'), `keys?id=${keyId}`)
    await page.getByRole('button', { name: 'Acknowledge Provider north is down' }).press('Enter')
    await page.getByText('Provider north is down: acknowledged').waitFor()
    t.match(await page.evaluate('document.activeElement.ariaLabel'), /^Acknowledge Key/, 'the keyboard goes on with the next one')
    await page.getByText('Provider north is down', { exact: true }).waitFor({ state: 'detached' })
    await nav.getByText('2').waitFor()
    await page.getByRole('button', { name: 'Acknowledge these 2' }).click()
    await dialog.getByRole('button', { name: 'Acknowledge' }).click()
    await page.getByText('Nothing is open').waitFor()
    await nav.getByText('2').waitFor({ state: 'detached' })
    await page.getByLabel('State').selectOption('any')
    await page.waitForURL(/alerts\?state=any$/)
    await page
      .getByRole('row', { name: /Provider north is down/ })
      .getByText('by environment')
      .waitFor()

    await page.getByRole('button', { name: 'Silence Provider north is down' }).click()
    await dialog.getByLabel(/^For how long/).selectOption('until')
    await dialog.getByLabel(/^Until/).fill('2020-01-31T12:00')
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click()
    await dialog.getByText("Invalid value for 'until'").first().waitFor()
    await dialog.getByLabel(/^For how long/).selectOption('4h')
    await dialog.getByLabel(/^Note/).fill(`Moving ${markup}`)
    await dialog.getByRole('button', { name: 'Silence', exact: true }).click()
    await page.getByRole('row', { name: /Provider, provider:north/ }).waitFor()
    t.match((await stage.call('GET', '/silences')).data, [{ kind: 'provider', subject: 'provider:north', org: null, reach: 'all' }])
    t.same(await accessibilityProblems(page), [], 'the silences')
    await page.getByRole('button', { name: /^End the silence/ }).click()
    await dialog.getByRole('button', { name: 'End it' }).click()
    await page.getByText('No silences').waitFor()
    t.equal(await page.evaluate('window.injected'), undefined)
    t.same(
      problems.splice(0).filter(problem => !problem.includes('400')),
      [],
    )
  })

  await t.test('a target is made, tested, changed and deleted, and what it did not take is sent again', async t => {
    const receiver = await openReceiver(t)
    await open('alerts?tab=targets')
    await page.getByText('No targets yet').waitFor()
    await page.getByRole('button', { name: 'New target' }).first().click()
    await dialog.getByLabel('Name').fill(`Acme ${markup}`)
    await dialog.getByLabel('Organization').fill('acme')
    await dialog.getByLabel('Address').fill('nowhere')
    await dialog.getByLabel('Spend cap').check()
    await dialog.getByRole('button', { name: 'Create target' }).click()
    await dialog.locator('.field-error').waitFor()
    t.equal(await dialog.getByLabel('Address').getAttribute('aria-invalid'), 'true')
    t.same(await accessibilityProblems(page), [], 'the form with an error')
    await dialog.getByLabel('Address').fill(receiver.url)
    await dialog.getByRole('button', { name: 'Create target' }).click()
    const secret = (await dialog.locator('pre').textContent())!.trim()
    t.match(secret, /^whsec_/)
    await dialog.getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row', { name: /Acme <img/ })
    t.match(await row.innerText(), /JSON at 127\.0\.0\.1:\d+ …k=77, signed with …/)
    t.notMatch(
      await page.content(),
      new RegExp(`${secret.slice(6, 20)}|a-secret-path`),
      'neither the secret nor the address is shown again',
    )

    receiver.status = 500
    await row.getByRole('button', { name: /^Test/ }).click()
    await page.getByText('did not get the test alert').waitFor()
    receiver.status = 204
    await row.getByRole('button', { name: /^Test/ }).click()
    await page.getByText('got the test alert.').waitFor()
    t.equal(receiver.ids.length, 2)

    receiver.status = 410
    const cap = { kind: 'cap', org: 'acme', subject: 'org:acme', title: 'Acme has spent 50%' } as const
    await addAlerts(stage.database, [{ ...cap, id: 'alert_gone' }], ['webhook'])
    await row.getByText('gone', { exact: true }).waitFor()
    await row.getByRole('link', { name: '1 failed' }).click()
    const message = page.getByRole('row', { name: /alert_gone of acme/ })
    t.match(await message.innerText(), /410/)
    receiver.status = 204
    await page.getByRole('tab', { name: 'Targets' }).click()
    await row.getByRole('button', { name: /^Test/ }).click()
    await row.getByText('in use').waitFor()
    await page.getByRole('tab', { name: 'Undelivered' }).click()
    await message.getByRole('button', { name: 'Send again' }).click()
    await page.getByLabel('State').selectOption('delivered')
    // Until the list is there, the row is that of the other one.
    while (receiver.ids.length < 5) await page.waitForTimeout(10)
    await message.waitFor()
    t.equal(receiver.ids.at(-1), receiver.ids.at(-3), 'with the same id')

    await page.getByRole('tab', { name: 'Targets' }).click()
    await row.getByRole('button', { name: /^Change/ }).click()
    await dialog.getByLabel(/^Severity/).selectOption('critical')
    const changing = page.waitForRequest(request => request.method() === 'PATCH')
    await dialog.getByRole('button', { name: 'Save changes' }).click()
    t.same((await changing).postDataJSON(), { min_severity: 'critical' }, 'only what differs is sent')
    await row.getByText('Critical only').waitFor()
    t.same(await accessibilityProblems(page), [], 'the targets')
    await row.getByRole('button', { name: /^Delete/ }).click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No targets yet').waitFor()
    t.equal(await page.evaluate('window.injected'), undefined)
    t.same(
      problems.splice(0).filter(problem => !problem.includes('400')),
      [],
    )
  })

  await t.test('a viewer only sees, and an organization sees its own', async t => {
    const token = async (role: string, org: string | null): Promise<string> =>
      (await stage.call('POST', '/admin-tokens', { name: 'other', role, org })).token
    const viewer = await opened(t, 'alerts?state=any', await token('viewer', null))
    await viewer.page.getByText('Provider north is down').waitFor()
    t.equal(await viewer.page.getByRole('button', { name: /^(Acknowledge|Silence)/ }).count(), 0)
    const acme = await opened(t, 'alerts?state=any', await token('editor', 'acme'))
    t.same(await acme.page.locator('.alert-cell strong').allTextContents(), ['Acme has spent 50%', `Key ${markup} has spent 80%`])
    await acme.page.setViewportSize({ width: 390, height: 844 })
    t.equal(await overflow(acme.page), 0)
    t.same([...viewer.problems, ...acme.problems], [])
  })
})

interface Receiver {
  readonly url: string
  /** The `webhook-id` of each message. */
  readonly ids: string[]
  status: number
}

async function openReceiver(t: Test): Promise<Receiver> {
  const receiver = { url: '', ids: [] as string[], status: 204 }
  const server = createServer((request, response) => {
    receiver.ids.push(String(request.headers['webhook-id']))
    request.resume().on('end', () => response.writeHead(receiver.status).end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.close()
    server.closeAllConnections()
  })
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a-secret-path?hook=77`
  return receiver
}

async function boxOf(page: Page, selector: string, index: number): Promise<{ readonly x: number; readonly width: number }> {
  return (await page.locator(selector).nth(index).boundingBox())!
}

async function overflow(page: Page): Promise<number> {
  return Math.max(0, Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth')))
}
