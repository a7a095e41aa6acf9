import t from 'tap'
import { barPlot } from '../../bench/plot.ts'
import { risenAbove } from '../../bench/ratios.ts'
import type { Sample } from '../../bench/report.ts'
import { quantile, spread } from '../../bench/statistics.ts'
import { judge } from '../../bench/verdicts.ts'

function sample(name: string, round: number, members: Partial<Sample> = {}): Sample {
  return {
    name,
    mode: 'json',
    concurrency: 32,
    round,
    cpuPerRequestUs: 100,
    requestsPerSecond: 1000,
    busy: 1,
    p50Ms: 1,
    p99Ms: 2,
    rssMb: 100,
    requests: 1000,
    bytesPerReply: 1000,
    bad: 0,
    complaint: '',
    ...members,
  }
}

const nothing = { samples: [], starts: [], garbage: [], bursts: [], decision: undefined }

t.test('a ratio is the median of the ratios of the rounds', async t => {
  const samples = [
    sample('bare', 0, { cpuPerRequestUs: 100 }),
    sample('turnpike', 0, { cpuPerRequestUs: 150 }),
    // A disturbance, which both saw.
    sample('bare', 1, { cpuPerRequestUs: 400 }),
    sample('turnpike', 1, { cpuPerRequestUs: 560 }),
    sample('bare', 2, { cpuPerRequestUs: 100 }),
    sample('turnpike', 2, { cpuPerRequestUs: 170, bad: 3 }),
  ]
  t.match(judge({ ...nothing, samples }), [
    { target: 'c=32 json: CPU per request ÷ bare forwarder', value: 1.5, limit: 1.6, met: true },
    { target: 'c=32 json: bad replies', value: 3, limit: 0, met: false },
  ])
})

t.test('what was not measured has no verdict', async t => {
  t.same(judge(nothing), [])
  t.same(
    judge({ ...nothing, starts: [{ name: 'turnpike', firstReplyMs: [300], idleRssMb: [100] }] }),
    [],
    'there is nothing to compare the start with',
  )
})

t.test('only what rose by more than runs differ is named', async t => {
  const verdict = (target: string, value: number) => ({ target, value, limit: 1, met: false })
  const before = { steady: 2, risen: 2, clean: 0 }
  t.same(risenAbove(before, [verdict('steady', 2.2), verdict('risen', 3), verdict('clean', 1), verdict('new', 9)]), [
    'risen: 3, was 2, 50% more',
    'clean: 1, was 0',
  ])
})

t.test('quantiles lie between the measurements', async t => {
  t.equal(quantile([3, 1, 2], 0.5), 2)
  t.equal(quantile([4, 1, 2, 3], 0.5), 2.5)
  t.equal(spread([90, 100, 110]), 0.05)
})

t.test('a plot has a bar for each value, from zero', async t => {
  const plot = barPlot('CPU', 'µs', [
    { label: 'a & b', value: 50, own: false },
    { label: 'turnpike', value: 100, own: true },
  ])
  t.match(plot, />a &amp; b</)
  t.same(
    Array.from(plot.matchAll(/<rect [^>]*width="([\d.]+)"/g), ([, width]) => Number(width)),
    [235, 470],
  )
})
