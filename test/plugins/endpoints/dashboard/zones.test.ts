import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { noBrowser, openBrowser, openPage } from './browser.ts'
import { addRecordsAt } from './demo-records.ts'
import { openStage, signIn } from './stage.ts'

t.setTimeout(900_000)

/** A day on which clocks change, with the days before and after it. */
const cases = [
  ['UTC', ['2026-03-28', '2026-03-29', '2026-03-30']],
  ['UTC', ['2026-10-24', '2026-10-25', '2026-10-26']],
  ['Europe/Berlin', ['2026-03-28', '2026-03-29', '2026-03-30']],
  ['Europe/Berlin', ['2026-10-24', '2026-10-25', '2026-10-26']],
  ['America/Los_Angeles', ['2026-03-07', '2026-03-08', '2026-03-09']],
  ['America/Los_Angeles', ['2026-10-31', '2026-11-01', '2026-11-02']],
  ['Asia/Kathmandu', ['2026-03-28', '2026-03-29', '2026-03-30']],
  ['Asia/Kathmandu', ['2026-10-24', '2026-10-25', '2026-10-26']],
] as const

t.test('days in charts are those of the viewer', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  for (const [zone, [before, day, after]] of cases) {
    const org = `zone-${zone.replaceAll(/\W/g, '-').toLowerCase()}-${day}`
    await stage.call('POST', '/orgs', { id: org, name: org })
    const { id } = await stage.call('POST', '/keys', { name: org, org })
    const times = [
      ...Array<string>(1).fill(`${before} 23:50`),
      ...Array<string>(2).fill(`${day} 00:05`),
      ...Array<string>(4).fill(`${day} 03:30`),
      ...Array<string>(8).fill(`${day} 23:50`),
      ...Array<string>(16).fill(`${after} 00:05`),
    ]
    await addRecordsAt(
      stage.database,
      { id, org, team: null },
      times.map(time => instantIn(zone, time)),
    )
    const { page, problems, settled } = await openPage(browser, stage.adminUrl, { timezoneId: zone })
    await page.clock.setFixedTime(instantIn(zone, `${after} 12:30`))
    await signIn(page, stage)
    const wanted = { [nameOf(before)]: '1', [nameOf(day)]: '14', [nameOf(after)]: '16' }
    for (const range of ['30d', '90d'] as const) {
      await page.goto(`${stage.adminUrl}/?org=${org}&range=${range}`)
      const chart = page.getByRole('region', { name: 'Requests per day' })
      await chart.waitFor()
      await settled()
      t.match(await chart.locator('figcaption').innerText(), /Requests\s*31\s*Whole time/, `${zone}: the legend has the total of ${range}`)
      t.same(await lastValuesOf(page, chart, range === '30d' ? 30 : 90), wanted, `${zone}, ${day}, ${range}`)
    }
    await page.goto(`${stage.adminUrl}/keys?id=${id}`)
    const use = page.getByRole('region', { name: 'Use' })
    await use.getByRole('img').waitFor()
    await settled()
    t.same(await lastValuesOf(page, use, 30), wanted, `${zone}, ${day}, the use of a key`)
    t.same(problems.splice(0), [])
    await page.context().close()
  }
})

t.test('all times are written with 12 hours, or all with 24', { skip: noBrowser }, async t => {
  const stage = await openStage()
  t.teardown(stage.stop)
  const browser = await openBrowser()
  t.teardown(() => browser.close())
  const { id, key } = await stage.call('POST', '/keys', { name: 'Clock' })
  await (await stage.ask(key, '/v1/responses', { model: 'sandbox/echo', input: 'Hello' })).text()
  for (const [locale, hasHalves] of [
    ['en-US', true],
    ['de-DE', false],
    ['en-GB', false],
  ] as const) {
    const { page, settled } = await openPage(browser, stage.adminUrl, { locale })
    await page.clock.setFixedTime(Date.now() + 10_000)
    await signIn(page, stage)
    const drawn = await texts(page)
    for (const path of ['?range=1h', '?range=24h', 'logs', `keys?id=${id}`]) {
      await page.goto(`${stage.adminUrl}/${path}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled()
      const said = (await page.locator('main').innerText()).split('\n')
      const times = [...said, ...(await drawn())].filter(text => /\d:\d\d/.test(text) && !text.includes('http'))
      t.ok(times.length > 0, `${path} has times`)
      t.same(
        times.filter(text => /\d:\d\d(:\d\d)?\s?[AP]M/i.test(text) !== hasHalves),
        [],
        `${path} in ${locale}`,
      )
    }
    await page.context().close()
  }
})

/** The texts that charts write on their canvas. */
async function texts(page: Page): Promise<() => Promise<readonly string[]>> {
  await page.addInitScript(() => {
    const { CanvasRenderingContext2D, drawnTexts } = Object.assign(globalThis as any, { drawnTexts: [] as string[] })
    const { fillText } = CanvasRenderingContext2D.prototype
    CanvasRenderingContext2D.prototype.fillText = function (text: string, ...place: unknown[]) {
      drawnTexts.push(text)
      return fillText.call(this, text, ...place)
    }
  })
  return async () => await page.evaluate(() => (globalThis as any).drawnTexts as string[])
}

/** The legend while the pointer is at each of the last three days. */
async function lastValuesOf(page: Page, chart: Locator, days: number): Promise<Readonly<Record<string, string>>> {
  await chart.locator('.u-over').scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await chart.locator('.u-over').boundingBox())!
  const found: Record<string, string> = {}
  for (const day of [days - 3, days - 2, days - 1]) {
    await page.mouse.move(x + Math.min(width - 1, (width * day) / (days - 1)), y + height / 2)
    await chart.getByText('Whole time').waitFor({ state: 'detached' })
    const [name, value] = await chart.evaluate(element => [
      element.querySelector('.legend-time')!.textContent!,
      element.querySelector('.legend-entry strong')!.textContent!,
    ])
    found[name!] = value!
  }
  await page.mouse.move(0, 0)
  return found
}

function nameOf(day: string): string {
  return new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' }).format(new Date(day))
}

/** When the clocks of a zone show a time, such as "2026-03-29 23:50". */
function instantIn(zone: string, time: string): number {
  const format = new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short', timeZone: zone })
  const utc = Date.parse(`${time.replace(' ', 'T')}Z`)
  for (let minutes = -14 * 60; minutes <= 14 * 60; minutes += 15)
    if (format.format(utc + minutes * 60_000) === time) return utc + minutes * 60_000
  throw new Error(`There is no ${time} in ${zone}.`)
}
