import { createServer, request as send } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import t, { type Test } from 'tap'
import type { Browser, Page } from 'playwright-core'
import { accessibilityProblems, noBrowser, openBrowser, openPage, type WatchedPage } from './browser.ts'
import { adminToken, openStage, signIn, type Stage } from './stage.ts'

t.setTimeout(900_000)

t.test('the pages that change something', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  await stage.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await stage.call('POST', '/orgs', { id: 'globex', name: 'Globex' })
  const opened = async (t: Test, view: Parameters<typeof openPage>[2] = { height: 1_400 }): Promise<WatchedPage> => {
    const watched = await openPage(browser, stage.adminUrl, view)
    t.teardown(() => watched.page.context().close())
    return watched
  }

  await t.test('a key is rotated, disabled, enabled and deleted', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    const { id, key } = await stage.call('POST', '/keys', { name: 'Shop', org: 'acme' })
    const status = async (text: string): Promise<number> =>
      (await stage.ask(text, '/v1/responses', { model: 'sandbox/echo', input: 'hi' })).status
    await page.goto(`${stage.adminUrl}/keys?id=${id}`)
    await press(page, 'Rotate')
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Keep the old secret/).selectOption('0')
    t.same(await accessibilityProblems(page), [], 'the dialog')
    await dialog.getByRole('button', { name: 'Rotate' }).click()
    const text = (await page.locator('pre').first().textContent())!.trim()
    t.match(text, /^tp_/)
    t.same([await status(key), await status(text)], [401, 200])
    await page.getByRole('button', { name: 'Copy the Key of Shop' }).click()
    const isCopied = async (copied: string): Promise<boolean> => (await (globalThis as any).navigator.clipboard.readText()) === copied
    await t.resolves(page.waitForFunction(isCopied, text), 'the clipboard has it')

    await press(page, 'Disable')
    await dialog.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    t.equal(await status(text), 401)
    await press(page, 'Enable')
    await page.getByRole('button', { name: 'Disable' }).waitFor()
    t.equal(await status(text), 200)

    await press(page, 'Delete')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await press(page, 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor()
    t.equal(await status(text), 401)
    t.same(problems, [])
  })

  await t.test('what the gateway refuses is said at the field', async t => {
    const { page } = await opened(t)
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/keys?new=true`)
    await page.getByLabel('Name', { exact: true }).fill('x')
    await page.getByLabel('Organization').fill('nobody')
    await press(page, 'Create key')
    await page.getByRole('alert').waitFor()
    t.match(await page.getByRole('alert').textContent(), /No organization has the id "nobody"\. Create it first\./)
    const field = page.getByLabel('Organization')
    t.equal(await field.getAttribute('aria-invalid'), 'true')
    t.same(await accessibilityProblems(page), [], 'with an error')
    await field.fill('acme')
    await page.getByRole('switch', { name: /^Redaction/ }).check()
    await page.getByText('All settings as JSON').click()
    const json = page.getByLabel('Settings of redaction as JSON')
    await json.fill('{"detectors": ')
    await page.getByText('This is not JSON yet.').waitFor()
    await json.fill('{"detectors": ["email", "nonsense"]}')
    await press(page, 'Create key')
    await page
      .getByText(/nonsense/)
      .first()
      .waitFor()
    await json.fill('{"detectors": ["email"]}')
    t.same(await accessibilityProblems(page), [], 'with the settings of redaction')
    await press(page, 'Create key')
    await page.getByText('The key is created').waitFor()
    const [{ policy }] = (await stage.call('GET', '/keys?org=acme')).data.slice(-1)
    t.same(policy.redaction, { value: true, settings: { detectors: ['email'] } })
  })

  await t.test('a new key below an organization that enforces a field has it locked', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    await stage.call('PATCH', '/orgs/globex', { policy: { zdr: { value: true, enforced: true } } })
    await page.goto(`${stage.adminUrl}/keys?new=true&org=globex`)
    const zdr = page.getByRole('switch', { name: /^Zero data retention/ })
    await page.getByText('Enforced on by the organization').waitFor()
    t.ok((await zdr.isDisabled()) && (await zdr.isChecked()))
    await page.getByLabel('Name', { exact: true }).fill('Locked')
    await press(page, 'Create key')
    await page.getByText('The key is created').waitFor()
    t.same(problems, [])
  })

  await t.test('organizations, teams and users are made, changed and deleted', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    const dialog = page.getByRole('dialog')
    await page.goto(`${stage.adminUrl}/accounts`)
    await press(page, 'New organization')
    await dialog.getByLabel('Name').fill('Initech')
    await dialog.getByLabel(/^Id/).fill('initech')
    t.same(await accessibilityProblems(page), [], 'the dialog')
    await press(page, 'Create organization')
    await page.getByRole('heading', { name: 'Initech', level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'Teams' }).click()
    await press(page, 'New team')
    await dialog.getByLabel('Name').fill('Ops')
    await dialog.getByLabel(/^Id/).fill('ops')
    await press(page, 'Create team')
    await page.getByRole('heading', { name: 'Ops', level: 1 }).waitFor()
    await page.getByRole('tab', { name: 'Users' }).click()
    await press(page, 'New user')
    await dialog.getByLabel('Name').fill('Ada')
    await press(page, 'Create user')
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
    await page.getByLabel(/^Cap/).fill('12.5')
    await page.getByLabel(/^Period/).selectOption('week')
    await page.getByRole('switch', { name: /Enforce request logging/ }).check()
    await page.getByLabel(/On all keys below/).selectOption('off')
    await press(page, 'Save changes')
    await page.getByText('The changes are saved').waitFor()
    const [user] = (await stage.call('GET', '/users?org=initech')).data
    t.match(user, { team: 'ops', spend_cap_usd: 12.5, spend_period: 'week', policy: { logging: { value: false, enforced: true } } })
    await page.getByLabel(/^Team/).fill('')
    await press(page, 'Save changes')
    await page.getByText('The changes are saved').waitFor()
    t.equal((await stage.call('GET', '/users?org=initech')).data[0].team, null)
    await press(page, 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Organizations', level: 1 }).waitFor()
    t.same(problems, [])
    await page.goto(`${stage.adminUrl}/accounts?level=org&id=initech`)
    await press(page, 'Delete')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('alert').filter({ hasText: 'still has' }).waitFor()
  })

  await t.test('an admin token is made, signs in, sees what it may, and ends its session when it is deleted', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/settings?tab=tokens`)
    await page.getByRole('button', { name: 'New token' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Bo')
    await dialog.getByLabel(/^Organization/).fill('acme')
    await press(page, 'Create token')
    const text = (await dialog.locator('pre').textContent())!.trim()
    t.match(text, /^ta_/)
    await dialog.getByRole('button', { name: 'Done' }).click()

    const bo = await opened(t)
    await bo.page.goto(`${stage.adminUrl}/`)
    await bo.page.getByLabel('Admin token').fill(text)
    await press(bo.page, 'Sign in')
    await bo.page.getByText('viewer of acme').waitFor()
    t.same(await bo.page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents(), [
      'Overview',
      'Logs',
      'Alerts',
      'Keys',
      'Organizations',
      'Settings',
    ])
    await bo.page.goto(`${stage.adminUrl}/keys`)
    await bo.page.getByRole('row').filter({ hasText: 'acme' }).first().waitFor()
    t.equal(await bo.page.getByText('globex').count(), 0)
    t.equal(await bo.page.getByText('New key').count(), 0)
    await bo.page.goto(`${stage.adminUrl}/settings`)
    await bo.page.getByRole('row').filter({ hasText: 'acme' }).first().waitFor()
    t.same(await bo.page.getByRole('tab').allTextContents(), ['Audit trail'])
    await bo.settled()
    t.same(await accessibilityProblems(bo.page), [])
    t.same(bo.problems.splice(0), [])

    await page.getByRole('button', { name: 'Delete Bo' }).click()
    t.same(await accessibilityProblems(page), [], 'the question')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByText('No admin tokens yet').waitFor()
    t.same(problems, [])
    await bo.page.getByRole('link', { name: 'Keys', exact: true }).click()
    await bo.page.getByLabel('Admin token').waitFor()
  })

  await t.test('a page is reached by the keyboard, and a narrow window has a menu', async t => {
    const { page, problems } = await opened(t, { width: 400, height: 800 })
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Tab')
    t.equal(await focused(page), 'Skip to the content')
    await page.keyboard.press('Enter')
    t.equal(await page.evaluate('document.activeElement.id'), 'main')
    t.equal(new URL(page.url()).pathname, '/')
    await press(page, 'Menu')
    t.same(await accessibilityProblems(page), [], 'the open menu')
    await page.getByRole('link', { name: 'Keys' }).press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    t.equal(await focused(page), 'Keys', 'the title has the focus')
    t.equal(await page.getByRole('link', { name: 'Logs' }).isVisible(), false, 'the menu is closed')
    await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
    t.same(problems, [])
  })

  await t.test('colors are those of the system, or chosen', async t => {
    const { page } = await opened(t, { colorScheme: 'dark' })
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/keys`)
    const background = (): Promise<unknown> => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const dark = await background()
    await page.getByRole('radio', { name: 'Light' }).press('Space')
    await page.locator('html[data-theme="light"]').waitFor()
    const light = await background()
    t.not(light, dark)
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
    t.equal(await background(), light, 'the choice is kept')
  })

  await t.test('a tab undoes nothing that another one saved', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    const other = await page.context().newPage()
    const policy = { zdr: { value: false }, logging: { value: false } }
    await stage.call('PATCH', '/orgs/globex', { policy: { zdr: null } })
    const { id } = await stage.call('POST', '/keys', { name: 'Shared', org: 'globex', policy })
    for (const [path, address] of [
      [`/keys/${id}`, `keys?id=${id}`],
      ['/orgs/globex', 'accounts?level=org&id=globex'],
    ]) {
      for (const tab of [page, other]) {
        await tab.goto(`${stage.adminUrl}/${address}`)
        await tab.getByRole('switch', { name: /zdr/ }).waitFor()
      }
      for (const [tab, field] of [
        [page, 'zdr'],
        [other, 'redaction'],
      ] as const) {
        await tab.getByRole('switch', { name: new RegExp(field) }).check()
        await press(tab, 'Save changes')
        await tab.getByText('The changes are saved').waitFor()
      }
      t.match(await stage.call('GET', path!), { policy: { zdr: { value: true }, redaction: { value: true } } })
    }
    t.same(problems, [])
  })

  await t.test('the unit of a limit stays while its window is typed, and years have four digits', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/keys?new=true`)
    await press(page, 'Add limit')
    const span = page.getByLabel('Window of limit 1', { exact: true })
    const unit = page.getByLabel('Unit of the window of limit 1')
    await span.focus()
    for (const key of ['End', 'Backspace', '5']) await page.keyboard.press(key)
    t.same([await span.inputValue(), await unit.inputValue()], ['5', '60'])
    await unit.selectOption('1')
    await span.focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type('605')
    t.same([await span.inputValue(), await unit.inputValue()], ['605', '1'])
    await page.getByLabel('Requests at once').focus()
    await page.keyboard.press('Tab')
    await page.keyboard.type('12312027')
    await page.keyboard.type('00')
    t.notMatch(await page.getByLabel(/^Expires/).inputValue(), /^\d{5}/)
    t.same(problems, [])
  })

  await t.test('a tab signs out of the session that another one began', async t => {
    const { page, problems, settled } = await opened(t)
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/keys`)
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    // Requests after the end of the session are refused.
    await settled()
    await signIn(page, stage)
    await press(page, 'Sign out')
    await page.getByLabel('Admin token').waitFor()
    t.same(problems, [])
  })

  await t.test('what comes after the first hundred is known, too', async t => {
    const { page, problems } = await opened(t)
    await signIn(page, stage)
    await Promise.all(Array.from({ length: 100 }, (_, index) => stage.call('POST', '/orgs', { name: `Number ${index}` })))
    await Promise.all(Array.from({ length: 100 }, (_, index) => stage.call('POST', '/keys', { name: `Number ${index}`, org: 'globex' })))
    await stage.call('POST', '/orgs', { id: 'last', name: 'Last', policy: { hipaa: { value: true, enforced: true } } })
    const { id } = await stage.call('POST', '/keys', { name: 'The last one', org: 'last' })
    await page.goto(`${stage.adminUrl}/keys?new=true&org=last`)
    await page.getByText('Enforced on by the organization').waitFor()
    await page.goto(`${stage.adminUrl}/playground`)
    await page.getByLabel('As the key').selectOption(id)
    t.same(problems, [])
  })

  await t.test('it works below a path of a proxy', async t => {
    const proxy = await proxyBelow(t, stage, '/turnpike/')
    const watched = await openPage(browser, proxy)
    t.teardown(() => watched.page.context().close())
    const { page, problems, settled } = watched
    await page.goto(`${proxy}/turnpike/keys?org=acme`)
    await page.getByLabel('Admin token').fill(adminToken)
    await press(page, 'Sign in')
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    const [cookie] = await page.context().cookies(`${proxy}/turnpike/`)
    t.match(cookie, { path: '/turnpike', httpOnly: true, sameSite: 'Strict' })
    t.equal((await page.context().cookies(`${proxy}/other/`)).length, 0)
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: 'Plugins' }).click()
    await page.getByText('local-sealer').waitFor()
    await settled()
    t.match(page.url(), /\/turnpike\/settings\?tab=plugins$/)
    await press(page, 'Sign out')
    await page.getByLabel('Admin token').waitFor()
    t.equal((await page.context().cookies()).length, 0)
    t.same(problems, [])
  })
})

t.test('the first start prints a link that signs in once', { skip: noBrowser }, async t => {
  const stage = await openStage({ GATEWAY_ADMIN_TOKEN: '' })
  t.teardown(stage.stop)
  const browser: Browser = await openBrowser()
  t.teardown(() => browser.close())
  const [link] = await stage.says(/http:\S+\?sign-in=\S+/)
  const { page, problems } = await openPage(browser, stage.adminUrl)
  await page.goto(link!)
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  await page.getByText('owner').waitFor()
  t.notMatch(page.url(), 'sign-in', 'the code does not stay in the address')
  t.same(problems, [])
  const other = await openPage(browser, stage.adminUrl)
  await other.page.goto(link!)
  await other.page.getByRole('alert').filter({ hasText: 'not valid' }).waitFor()
})

async function press(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).first().click()
}

function focused(page: Page): Promise<unknown> {
  return page.evaluate('document.activeElement.textContent')
}

/** A reverse proxy that serves the stage below a path. */
async function proxyBelow(t: Test, { adminUrl }: Stage, path: string): Promise<string> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, headers, url = '' } = incoming
    if (!url.startsWith(path)) return outgoing.writeHead(404).end()
    // A connection for each request: one that is kept may be closed by the other side just when it is used again.
    const forwarded = send(`${adminUrl}/${url.slice(path.length)}`, { method, headers, agent: false }, answer => {
      outgoing.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(outgoing)
    })
    incoming.pipe(forwarded)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  t.teardown(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}
