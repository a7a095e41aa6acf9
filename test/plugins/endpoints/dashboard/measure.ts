// Measures what the dashboard costs: the first paint with an empty cache, an interaction with 100 rows, and the processor time of the
// gateway while a page is open and live.
// node --conditions=turnpike-source --import=./bin/own-package.js test/plugins/endpoints/dashboard/measure.ts

import { readFileSync } from 'node:fs'
import { openBrowser, openPage } from './browser.ts'
import { playDemo } from './demo.ts'
import { openStage, signIn } from './stage.ts'

const liveMs = 20_000
const ticksPerSecond = 100

/** From the event to the frame that shows its effect. */
const timing = (action: string): string => `new Promise(resolve => {
  const begin = performance.now()
  ${action}
  requestAnimationFrame(() => setTimeout(() => resolve(Math.round(performance.now() - begin))))
})`
const interactions = {
  'the switch Live, beside 100 rows': `document.querySelector('[role=switch]').click()`,
  'other colors': `document.querySelector('input[value=dark]').click()`,
}

const stage = await openStage()
const browser = await openBrowser()
try {
  await playDemo(stage)
  for (const path of ['', 'logs', 'models', 'keys']) {
    const { page } = await openPage(browser, stage.adminUrl)
    await signIn(page, stage)
    await page.goto(`${stage.adminUrl}/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    const [first, page1] = (await page.evaluate(
      `[performance.getEntriesByName('first-contentful-paint')[0]?.startTime, performance.now()]`,
    )) as number[]
    const loaded = await page.evaluate(`performance.getEntriesByType('resource').length`)
    console.log(`/${path}: first contentful paint ${first?.toFixed(0)} ms, title within ${page1!.toFixed(0)} ms, ${loaded} files`)
    await page.context().close()
  }
  const { page } = await openPage(browser, stage.adminUrl)
  await signIn(page, stage)
  await page.goto(`${stage.adminUrl}/logs?live=off`)
  await page.getByText('Next page').waitFor()
  for (const [name, action] of Object.entries(interactions)) console.log(`${name}: ${(await page.evaluate(timing(action))) as number} ms`)

  const next = (await page.evaluate(`new Promise(resolve => {
    const first = () => document.querySelector('.row-link')?.href
    const before = first()
    const begin = performance.now()
    ;[...document.querySelectorAll('button')].find(button => button.textContent.includes('Next page')).click()
    const look = () => first() !== before ? setTimeout(() => resolve(Math.round(performance.now() - begin))) : requestAnimationFrame(look)
    look()
  })`)) as number
  console.log(`the next 100 rows, from the click until they are there: ${next} ms`)

  for (const [name, path] of Object.entries({
    nothing: undefined,
    'overview by key, last hour': '?range=1h&by=key',
    logs: 'logs',
    providers: 'providers',
  })) {
    await (path === undefined ? page.goto('about:blank') : page.goto(`${stage.adminUrl}/${path}`))
    await page.waitForTimeout(3_000)
    const before = processorMs(stage.pid)
    await page.waitForTimeout(liveMs)
    console.log(`${name}: ${(((processorMs(stage.pid) - before) / liveMs) * 100).toFixed(2)}% of a core`)
  }
} finally {
  await browser.close()
  await stage.stop()
}

function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / ticksPerSecond) * 1000
}
