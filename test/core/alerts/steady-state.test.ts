import t from 'tap'
import { neverOn, sightMs, steadied, steadyMs, type SteadyState } from '../../../core/alerts/steady-state.ts'

/** What operators hear, and when in seconds, of sights at these seconds. `seconds`: how long to look. */
function heard(sights: Readonly<Record<number, readonly [process: string, isOn: boolean]>>, seconds: number): readonly string[] {
  const start = 1_000_000_000
  const told: string[] = []
  const on = new Set<string>()
  let state: SteadyState = neverOn
  for (let second = 0; second <= seconds; second++) {
    const look = (process: string, isOn: boolean | undefined): void => {
      const { state: next, isNews } = steadied(state, { process, isOn }, start + second * 1_000)
      state = next ?? neverOn
      if (isNews) told.push(`${second}: ${state.told ? 'on' : 'off'}`)
    }
    const sight = sights[second]
    if (sight) {
      look(...sight)
      if (sight[1]) on.add(sight[0])
      else on.delete(sight[0])
    }
    // Processes repeat what they see, and look.
    if (second % 10 === 0) for (const process of on) look(process, true)
    if (second % 10 === 0) look('other', undefined)
  }
  return told
}

t.test('the first change is told at once, and so is a later one that comes two minutes after the last', async t => {
  t.same(heard({ 5: ['a', true], 305: ['a', false], 605: ['a', true] }, 1_000), ['5: on', '305: off', '605: on'])
})

t.test('a change within two minutes is told once it has lasted two', async t => {
  t.same(heard({ 5: ['a', true], 35: ['a', false] }, 400), ['5: on', '160: off'])
  t.same(heard({ 5: ['a', true], 35: ['a', false], 100: ['a', true] }, 400), ['5: on'], 'it did not last')
})

t.test('what comes and goes all the time is one alert, until it rests', async t => {
  const sights: Record<number, readonly [string, boolean]> = {}
  for (let index = 0; index < 40; index++) sights[10 + index * 25] = ['a', index % 2 === 0]
  const last = 10 + 39 * 25
  t.same(heard(sights, 2_000), ['10: on', `${Math.ceil((last + steadyMs / 1_000) / 10) * 10}: off`])
})

t.test('it is on while any process sees it, and several processes are one change', async t => {
  const sights = { 5: ['a', true], 6: ['b', true], 7: ['c', true], 200: ['a', false], 250: ['b', false], 400: ['c', false] } as const
  t.same(heard(sights, 1_000), ['5: on', '400: off'])
})

t.test('the sight of a process that died stays until another sees that it is off', async t => {
  const start = 1_000_000_000
  const { state } = steadied(neverOn, { process: 'dead', isOn: true }, start)
  const later = start + 10 * sightMs
  t.match(steadied(state!, { process: 'b', isOn: undefined }, later), { isNews: false, state: { on: true } })
  t.match(steadied(state!, { process: 'b', isOn: false }, start + 1_000), { state: { on: true } }, 'it may only be slow')
  t.match(steadied(state!, { process: 'b', isOn: false }, later), { isNews: true, state: { on: false, told: false } })
  const tomorrow = steadied(state!, { process: 'b', isOn: undefined }, start + 25 * 3_600_000)
  t.match(tomorrow, { isNews: true, state: { on: false } }, 'nobody has used it since')
})

t.test('what is over for long is forgotten', async t => {
  const off = { ...neverOn, since: 1_000_000_000 }
  t.match(steadied(off, { process: 'a', isOn: undefined }, 1_000_000_000 + 60_000), { state: { on: false } })
  t.match(steadied(off, { process: 'a', isOn: undefined }, 1_000_000_000 + 3_700_000), { state: undefined })
})
