import t from 'tap'
import { Finder } from '../../../plugins/guardrails/redaction/finder.ts'
import { detectorNames, usualDetectors } from '../../../plugins/guardrails/redaction/settings.ts'
import { corpus, scores } from '../../../scripts/redaction/score.ts'

// Measures the detectors on texts that other libraries made: scripts/redaction/corpus.py.

t.test('the usual detectors find 99% of the values, and 98% of what they find are values', async t => {
  const finder = new Finder({ detectors: [...detectorNames] })
  const texts = corpus()
  const found = []
  for (const { text } of texts)
    found.push((await finder.find(text)).map(({ label, start, end }) => ({ kind: label.toLowerCase(), start, end })))
  const all = scores(texts, found)
  for (const kind of usualDetectors) {
    const { values, found, reported, right, missed, wrong } = all.get(kind)!
    t.ok(values > 150, `${kind}: ${values} values`)
    t.ok(found / values >= 0.99, `${kind}: ${found} of ${values} found`, { missed })
    t.ok(right / reported >= 0.98, `${kind}: ${right} of ${reported} right`, { wrong })
  }
})

t.test('the place in a text changes nothing', async t => {
  const finder = new Finder({})
  const texts = corpus().filter(({ values }) => values.some(({ kind }) => kind !== 'person' && kind !== 'birth_date'))
  const picked = texts.filter((_, index) => index % 37 === 0).map(({ text }) => text)
  for (const text of picked) {
    const alone = await finder.find(text)
    // Around the end of the first window.
    for (const before of [4_096 - text.length, 4_096 - Math.floor(text.length / 2), 4_095, 4_096, 4_100, 9_000]) {
      const shifted = await finder.find(`${'word '.repeat(2_000).slice(0, before - 2)}\n\n${text}\n\n${'more '.repeat(300)}`)
      t.same(
        shifted.map(({ label, start, end }) => ({ label, start: start - before, end: end - before })),
        alone,
        `${before} characters before ${JSON.stringify(text)}`,
      )
    }
  }
})
