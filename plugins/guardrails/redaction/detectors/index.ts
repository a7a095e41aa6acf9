import { birthDate } from './birth-date.ts'
import { card } from './card.ts'
import type { Detector } from './detector.ts'
import { email } from './email.ts'
import { iban } from './iban.ts'
import { ip } from './ip.ts'
import { nationalId } from './national-id.ts'
import { person } from './person.ts'
import { phone } from './phone.ts'
import { secret } from './secret.ts'
import type { DetectorName } from '../settings.ts'

/** In order: where two find overlapping text, the longer span wins, then the earlier detector. */
export const detectors: Readonly<Record<DetectorName, Detector>> = {
  secret,
  email,
  iban,
  card,
  national_id: nationalId,
  phone,
  ip,
  birth_date: birthDate,
  person,
}
