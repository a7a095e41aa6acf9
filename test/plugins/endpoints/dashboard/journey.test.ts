import OpenAI from 'openai'
import type { Route } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { adminToken, openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

t.test('from signing in to a request that is found, by the browser alone', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { page, problems, settled } = await openPage(browser, stage.adminUrl, { height: 1_400 })
  const noProblems = (after: string): unknown => t.same(problems.splice(0), [], `nothing went wrong ${after}`)
  const open = async (path: string): Promise<void> => void (await page.goto(`${stage.adminUrl}/${path}`))
  const heading = async (name: string): Promise<void> => void (await page.getByRole('heading', { level: 1, name }).waitFor())
  await stage.call('POST', '/orgs', { id: 'acme', name: 'Acme' })
  await stage.call('POST', '/teams', { id: 'research', name: 'Research', org: 'acme' })
  await stage.call('POST', '/users', { id: 'ada', name: 'Ada', org: 'acme', team: 'research' })

  await t.test('sign in with a token, after a wrong one', async t => {
    await open('')
    await page.getByLabel('Admin token').fill('ta_wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    t.ok(problems.splice(0).every(problem => problem.includes('401')))
    await page.getByLabel('Admin token').fill(adminToken)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await heading('Overview')
    await page.getByText('No requests in this time').waitFor()
    noProblems('while signing in')
  })

  let key = ''
  await t.test('create a key with every setting', async t => {
    await page.getByRole('link', { name: 'Keys' }).click()
    await page.getByRole('link', { name: 'New key' }).first().click()
    await heading('New key')
    await page.getByLabel('Name', { exact: true }).fill('Everything')
    await page.getByLabel('Organization').fill('acme')
    await page.getByLabel('Team').fill('research')
    await page.getByLabel(/^User/).fill('ada')
    await page.getByRole('switch', { name: /Request logging/ }).check()
    await page.getByRole('switch', { name: /Redaction/ }).check()
    for (const [list, value] of [
      ['Models', 'sandbox/*'],
      ['Models', 'north/echo'],
      ['Providers', 'sandbox'],
      ['Providers', 'north'],
    ] as const) {
      await page
        .getByRole('textbox', { name: new RegExp(`^${list}`) })
        .or(page.getByRole('combobox', { name: new RegExp(`^${list}`) }))
        .fill(value)
      await page.keyboard.press('Enter')
    }
    await page.getByLabel(/^Cap/).fill('5')
    await page.getByLabel(/^Period/).selectOption('month')
    await page.getByRole('switch', { name: /without a known price/ }).check()
    await page.getByRole('button', { name: 'Add limit' }).click()
    await page.getByLabel('Exactness of limit 1').check()
    await page.getByLabel('Amount of limit 1').fill('1000')
    await page.getByLabel(/^Requests at once/).fill('4')
    await page.getByLabel(/^Expires/).fill('2036-01-31T12:00')
    await page.getByRole('button', { name: 'Add entry' }).click()
    await page.getByLabel('Name 1').fill('owner')
    await page.getByLabel('Value 1').fill('ada')
    await page.getByRole('button', { name: 'Create key' }).click()
    await heading('The key is created')
    key = (await page.locator('pre').first().textContent())!.trim()
    t.match(key, /^tp_/)
    noProblems('while creating a key')
    const [made] = (await stage.call('GET', '/keys?org=acme')).data
    t.match(made, {
      name: 'Everything',
      org: 'acme',
      team: 'research',
      user: 'ada',
      policy: { logging: { value: true }, redaction: { value: true } },
      models: ['sandbox/*', 'north/echo'],
      providers: ['sandbox', 'north'],
      allow_unpriced: true,
      spend_cap_usd: 5,
      spend_period: 'month',
      limits: [{ requests: 1_000, window_s: 60, exact: true }],
      max_concurrency: 4,
      expires_at: '2036-01-31T11:00:00.000Z',
      metadata: { owner: 'ada' },
    })
  })

  const client = new OpenAI({ baseURL: `${stage.url}/v1`, apiKey: key, maxRetries: 0 })
  const ask = (): ReturnType<typeof client.responses.create> =>
    client.responses.create({ model: 'sandbox/echo', input: 'Where is my money?' })
  await t.test('use it with the SDK of OpenAI, and find the request by its response id', async t => {
    const answer = (await ask()) as OpenAI.Responses.Response
    t.equal(answer.output_text, 'Where is my money?')
    const keys = Promise.withResolvers<void>()
    const late = async (route: Route): Promise<void> => {
      await keys.promise
      await route.continue()
    }
    await page.route('**/admin/v1/keys?*', late)
    await page.getByRole('link', { name: 'Logs' }).click()
    await heading('Logs')
    await page.getByLabel('Id', { exact: true }).fill(answer.id)
    keys.resolve()
    await page.getByLabel('Key', { exact: true }).getByRole('option', { name: 'Everything' }).waitFor({ state: 'attached' })
    await page.unroute('**/admin/v1/keys?*', late)
    t.equal(await page.getByLabel('Id', { exact: true }).inputValue(), answer.id, 'what somebody types stays when data arrives')
    await page.keyboard.press('Enter')
    await page.waitForURL(/[?&]id=resp_/)
    const rows = page.getByRole('row').filter({ hasText: 'echo' })
    await t.resolves(rows.filter({ hasText: 'Everything' }).first().waitFor(), 'it has the name of the key')
    await settled()
    t.equal(await rows.count(), 1)
    await rows.getByRole('link').click()
    await heading('Request')
    await page.getByText(answer.id).waitFor()
    t.equal(await page.getByText('Where is my money?').count(), 0, 'content is not shown before somebody asks for it')
    await page.getByRole('button', { name: 'Open the content' }).click()
    await page.getByText('Where is my money?').first().waitFor()
    const audit = await stage.call('GET', '/audit?actor=environment')
    t.equal(audit.data[0].action, 'records.read-content')
    noProblems('on the logs page')
  })

  await t.test('see what a session cost, from one of its requests', async t => {
    const { key: agents } = await stage.call('POST', '/keys', { name: 'Agents', org: 'acme' })
    const body = { model: 'sandbox/echo', input: 'Hello', session_id: 'run-1' }
    const first = (await (await stage.ask(agents, '/v1/responses', body)).json()) as { readonly id: string }
    await stage.ask(agents, '/v1/responses', body)
    await open(`logs?record=${first.id}`)
    await page.getByRole('link', { name: 'Requests', exact: true }).click()
    await page.waitForURL(/logs\?session=ses_[0-9a-f]{32}$/)
    await page.getByRole('row').filter({ hasText: 'Agents' }).nth(1).waitFor()
    await page.goBack()
    await page.getByRole('link', { name: 'Cost', exact: true }).click()
    await page.getByText(/Only the session ses_/).waitFor()
    await page.getByText('2 succeeded').waitFor()
    t.equal(await page.getByText('Latency').count(), 0, 'times are not known by session')
    await page.getByLabel('Split by').selectOption('Session')
    await page.getByRole('heading', { name: 'By session' }).waitFor()
    noProblems('with the session')
  })

  await t.test('find a decision by its own id', async t => {
    const { key: plain } = await stage.call('POST', '/keys', { name: 'Plain', org: 'acme' })
    const questions = { angry: { type: 'noul', instructions: 'Is the writer angry?' } }
    const reply = await stage.ask(plain, '/v1/systemone', { model: 'sandbox/dm', state: 'Where is my money?', questions })
    const { id } = (await reply.json()) as { readonly id: string }
    t.match(id, /^dec_/)
    await open(`logs?id=${id}`)
    await page.getByRole('row').filter({ hasText: 'sandbox/dm' }).getByRole('link').click()
    await page.getByText('Decision id').waitFor()
    await page.getByText('Nothing was stored: logging was off for this request.').waitFor()
    await open(`logs?record=${id}`)
    await page.getByText('Decision id').waitFor()
    noProblems('with the decision')
  })

  await t.test('enforce zero data retention at the organization: the switch of the key is locked until it is released', async t => {
    const [{ id: keyId }] = (await stage.call('GET', '/keys?org=acme&user=ada')).data
    await open('accounts?level=org&id=acme')
    await page.getByRole('switch', { name: /Enforce zero data retention/i }).check()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The changes are saved').waitFor()
    await open(`keys?id=${keyId}`)
    const zdr = page.getByRole('switch', { name: /^Zero data retention/ })
    await zdr.waitFor()
    t.ok((await zdr.isDisabled()) && (await zdr.isChecked()))
    await page.getByText('Enforced on by the organization').waitFor()
    t.equal(
      await ask().then(
        () => 200,
        (error: { readonly status: number }) => error.status,
      ),
      422,
    )
    await open('accounts?level=org&id=acme')
    await page.getByRole('switch', { name: /Enforce zero data retention/i }).uncheck()
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('The changes are saved').waitFor()
    await open(`keys?id=${keyId}`)
    await zdr.waitFor()
    t.notOk((await zdr.isDisabled()) || (await zdr.isChecked()))
    t.ok(await ask())
    noProblems('with policies')
  })

  await t.test('top up credit', async t => {
    await open('accounts?level=org&id=acme&tab=credit')
    await page.getByRole('button', { name: 'Add credit' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Amount').fill('250')
    await dialog.getByLabel(/^Note/).fill('Invoice 7')
    await dialog.getByRole('button', { name: 'Add credit' }).click()
    await page.getByText('Invoice 7').waitFor()
    t.equal((await stage.call('GET', '/orgs/acme/credits')).balance_usd, 250)
    noProblems('with credit')
  })

  await t.test('a live chart moves', async t => {
    await open('?range=1h')
    const chart = page.getByRole('img', { name: /^Requests per minute/ })
    await chart.locator('canvas').waitFor()
    await settled()
    const requests = page.locator('.stat').filter({ hasText: /^Requests/ })
    const [figure, frame] = [await requests.elementHandle(), await chart.elementHandle()]
    const before = await requests.textContent()
    const picture = await chart.locator('canvas').evaluate((canvas: any): string => canvas.toDataURL())
    for (let index = 0; index < 20; index++) await ask()
    const isCounted = ([element, earlier]: any): boolean => element.textContent !== earlier
    await t.resolves(page.waitForFunction(isCounted, [figure, before]), 'the number grows')
    const isDrawn = ([element, earlier]: any): boolean => element.querySelector('canvas').toDataURL() !== earlier
    await t.resolves(page.waitForFunction(isDrawn, [frame, picture]), 'the line is drawn anew')
    noProblems('on the overview')
  })

  await t.test('an answer that takes longer than the time until the page asks again is shown', async t => {
    const { page, problems } = await openPage(browser, stage.adminUrl)
    t.teardown(() => page.context().close())
    await signIn(page, stage)
    const held: Route[] = []
    await page.route(/\/admin\/v1\/records\?/, route => void held.push(route))
    await page.clock.install()
    await Promise.all([page.waitForRequest(/\/records\?/), page.goto(`${stage.adminUrl}/logs`)])
    await page.clock.runFor(60_000)
    t.equal(held.length, 1)
    await held[0]!.continue()
    await page.getByRole('row').filter({ hasText: 'Everything' }).first().waitFor()
    t.same(problems, [])
  })

  await t.test('the playground streams, and goes on after a call', async t => {
    await open('playground?model=sandbox/slow')
    await page.getByLabel('As the key').selectOption('Everything')
    const said = page.locator('.answer .said')
    await page.getByLabel('Input').fill('first 100 between 600000 pieces 2')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await t.resolves(said.filter({ hasText: /^Piece 1 of 2\.$/ }).waitFor(), 'it is shown while it comes')
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the answer.').waitFor()

    await open('playground?model=sandbox/slow')
    await page.getByLabel('Input').fill('first 100 between 150 pieces 8')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('in all').waitFor()
    t.match(await said.textContent(), 'Piece 8 of 8')

    await open('playground?model=sandbox/tools')
    await page.getByLabel('Input').fill('Weather?')
    await page.getByText('More settings').click()
    await page.getByRole('button', { name: 'Fill in an example' }).click()
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByLabel('What weather returns').fill('sunny')
    await page.getByRole('button', { name: 'Send the results' }).click()
    await page.getByText('weather returned: sunny').waitFor()

    await open('playground?model=sandbox/slow')
    await page.getByLabel('Input').fill('first 600000')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the answer.').waitFor()

    await open('playground?do=decide')
    await page.getByRole('button', { name: 'Decide' }).click()
    await page.getByText('See its record').click()
    await page.getByText('Decision id').waitFor()
    noProblems('in the playground')
  })

  await t.test('the playground speaks every surface', async t => {
    const { data } = (await stage.call('GET', '/playground')) as {
      readonly data: readonly { readonly name: string; readonly title: string }[]
    }
    t.ok(data.length >= 6)
    await open('playground')
    for (const { name, title } of data) {
      if (['responses', 'systemone', 'decisions'].includes(name)) continue
      await page.getByRole('tab', { name: title }).click()
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await page.getByText('in all').waitFor()
      await page.getByText('See its record').click()
      await page.getByText('Request id').waitFor()
      t.match(await page.locator('main').textContent(), new RegExp(`Surface${name}`), `${name} in the record`)
      await page.goBack()
      await page.getByRole('tab', { name: title, selected: true }).waitFor()
    }

    await open('playground?do=messages')
    const said = page.locator('.answer .said')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('in all').waitFor()
    t.match(await said.textContent(), /Why is the sky blue/, 'the text of the stream')
    t.not(await page.getByText('"type":"message_stop"').isVisible(), 'the events are hidden at first')
    await page.getByText('events as they came').click()
    t.ok(await page.getByText('"type":"message_stop"').isVisible())
    await page.getByLabel('Body').fill('{ "max_tokens": 0 }')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    t.match(await page.getByRole('alert').textContent(), /messages/)
    await page.getByLabel('Body').fill('{')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('not valid JSON').waitFor()
    await page.getByLabel('Body').fill('{ "max_tokens": 100, "messages": [{ "role": "user", "content": "first 600000" }], "stream": true }')
    await page.getByLabel('Model').fill('sandbox/slow')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the answer.').waitFor()
    await page.getByRole('button', { name: 'Show as curl' }).click()
    t.match(await page.getByRole('dialog').textContent(), '/v1/messages')
    await page.keyboard.press('Escape')

    await open('logs')
    await page.getByText('More filters').click()
    await page.getByLabel('Surface').fill('embeddings')
    const rows = page.locator('tbody tr')
    await rows.filter({ hasText: 'embeddings' }).first().waitFor()
    await rows.filter({ hasText: 'messages' }).first().waitFor({ state: 'detached' })
    t.ok(problems.splice(0).every(problem => problem.includes('400')))
  })

  await t.test('what the gateway refuses is said in place', async t => {
    await open('playground?model=nobody/at-all')
    await page.getByLabel('Input').fill('Hello')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    t.match(await page.getByRole('alert').textContent(), /nobody/)
    const { id } = await stage.call('POST', '/keys', { name: 'Once', limits: [{ requests: 1, window_s: 3600 }] })
    await open(`playground?model=sandbox/echo&key=${id}`)
    for (const input of ['The first', 'The second']) {
      await page.getByLabel('Input').fill(input)
      await page.getByRole('button', { name: 'Send', exact: true }).click()
      await (input === 'The first' ? page.getByText('in all') : page.getByRole('alert')).waitFor()
    }
    t.match(await page.locator('.answer .said').textContent(), 'The first', 'the answer before stays')
    await open('logs?id=req_unknown')
    await page.getByText('No request matches').waitFor()
    await open('models?model=nobody')
    await page.getByText('There is no model “nobody”').waitFor()
    t.ok(problems.splice(0).every(problem => problem.includes('status of 4')))
  })
})
