import t from 'tap'
import type { SearchQuery } from '../../../core/index.ts'
import { countryName, placeWords, searchText, type SearchTextOptions } from '../../../core/kit.ts'

function text(query: Partial<SearchQuery>, options: SearchTextOptions = {}): string {
  const nothing = { query: 'demo', maxResults: 5, allowedDomains: [], blockedDomains: [], userLocation: undefined }
  return searchText({ ...nothing, ...query }, options)
}

t.test('a query takes what the engine has no parameters for', async t => {
  const userLocation = { country: 'DE', region: 'Brandenburg', city: 'Potsdam' }
  const query = { allowedDomains: ['a.example', 'b.example'], blockedDomains: ['c.example', 'd.example'], userLocation }
  t.equal(text(query), 'demo')
  t.equal(text(query, { sites: true }), 'demo site:a.example OR site:b.example -site:c.example -site:d.example')
  t.equal(text(query, { place: ['city', 'region', 'country'] }), 'demo Potsdam Brandenburg Germany')
  t.equal(text({ query: ' a\n\tb  c ' }), 'a b c')
})

t.test('results that do not fit are left out as a whole', async t => {
  const query = { query: 'one two three', allowedDomains: ['a.example', 'b.example'], userLocation: { city: 'Rome' } }
  const options = { sites: true, place: ['city'] as const }
  t.equal(text(query, { ...options, maxCharacters: 47 }), 'one two three Rome site:a.example')
  t.equal(text(query, { ...options, maxCharacters: 20 }), 'one two three Rome')
  t.equal(text(query, { ...options, maxCharacters: 14 }), 'one two three')
  t.equal(text(query, { ...options, maxCharacters: 9 }), 'one two t')
  t.equal(text(query, { ...options, maxWords: 2 }), 'one two')
  t.equal(text({ query: 'ab 🦊' }, { maxCharacters: 4 }), 'ab �', 'half a character is not sent')
})

t.test('places in words', async t => {
  t.equal(placeWords(undefined, ['city']), '')
  t.equal(placeWords({}, ['city', 'region', 'country']), '')
  t.equal(placeWords({ city: 'Berlin', region: 'Berlin', country: 'DE' }, ['city', 'region', 'country']), 'Berlin Germany')
  t.equal(placeWords({ city: 'a\r\nb', country: 'XX' }, ['city', 'country']), 'a b XX')
  t.equal(countryName('US'), 'United States')
  for (const code of ['XX', 'us', 'USA', '']) t.equal(countryName(code), undefined)
})
