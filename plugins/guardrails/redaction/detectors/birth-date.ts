import { announcements, matching, type Detector } from './detector.ts'

const words =
  /(?<!\p{L})(?:born|birth|dob|d\.o\.b|geboren|geburtsdatum|née?|naissance|nacid[oa]|nacimiento|nat[oa]|nascita|geboortedatum|nasc\p{L}{0,7})(?!\p{L})/giu
const month = '(?:jan|feb|m[aä]r|apr|ma[iy]|jun|jul|aug|sep|o[ck]t|nov|de[cz])\\p{L}{0,8}'

const dates = new RegExp(
  `(?<![\\p{L}\\d])(?:\\d{1,2}[./-]\\d{1,2}[./-]\\d{2,4}|\\d{4}-\\d{2}-\\d{2}|\\d{1,2}\\.? (?:de )?${month}\\.?,? (?:de )?\\d{4}|${month} \\d{1,2},? \\d{4})(?!\\d)`,
  'giu',
)

/** Dates after a word such as "born". A date alone may be anything. */
export const birthDate: Detector = {
  label: 'BIRTH_DATE',
  find(text) {
    const isAnnounced = announcements(text, words)
    return matching(dates, (_, __, start) => isAnnounced(start))(text)
  },
}
