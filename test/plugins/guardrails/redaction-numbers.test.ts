import fc from 'fast-check'
import * as cpf from 'stdnum/lib/cjs/br/cpf.js'
import * as idnr from 'stdnum/lib/cjs/de/idnr.js'
import * as dni from 'stdnum/lib/cjs/es/dni.js'
import * as nie from 'stdnum/lib/cjs/es/nie.js'
import * as nir from 'stdnum/lib/cjs/fr/nir.js'
import * as nino from 'stdnum/lib/cjs/gb/nino.js'
import * as aadhaar from 'stdnum/lib/cjs/in/aadhaar.js'
import * as pan from 'stdnum/lib/cjs/in/pan.js'
import * as bsn from 'stdnum/lib/cjs/nl/bsn.js'
import * as ssn from 'stdnum/lib/cjs/us/ssn.js'
import t from 'tap'
import * as checks from '../../../plugins/guardrails/redaction/detectors/number-checks.ts'
import { runs } from '../../kit/runs.ts'

const kinds = {
  aadhaar: [aadhaar, /^[2-9]\d{11}$/],
  bsn: [bsn, /^\d{9}$/],
  cpf: [cpf, /^\d{11}$/],
  dni: [dni, /^\d{8}[A-Z]$/],
  idnr: [idnr, /^\d{11}$/],
  nie: [nie, /^[XYZ]\d{7}[A-Z]$/],
  nino: [nino, /^[A-Za-z]{2}\d{6}[A-D]$/],
  nir: [nir, /^[12]\d{14}$/],
  pan: [pan, /^[A-Z]{3}[ABCFGHJLPT][A-Z](?:\d{4}|0000)[A-Z]$/],
  ssn: [
    ssn,
    /^(?:\d{9}|\d{3}-\d{2}-\d{4}|078-05-1120|666-\d{2}-\d{4}|(?:000|666|9\d\d)\d{6}|\d{3}00\d{4}|078051120|219099999|123456789|555555555)$/,
  ],
} as const

t.test('every number is valid exactly where stdnum says so', async t => {
  t.same(Object.keys(kinds).toSorted(), Object.keys(checks).toSorted())
  for (const [kind, check] of Object.entries(checks)) {
    const [expected, form] = kinds[kind as keyof typeof kinds]
    // Few have a right check digit at random, so each is tried with every end.
    const ends = form.source.includes('[A-Z]$') ? [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'] : [...'0123456789']
    fc.assert(
      fc.property(fc.stringMatching(form), number => {
        for (const each of [number, ...(kind === 'nino' ? [] : ends.map(end => number.slice(0, -1) + end))])
          if (check.validate(each).isValid !== expected.validate(each).isValid) throw new Error(`${kind} ${each}`)
      }),
      runs(500),
    )
  }
})
