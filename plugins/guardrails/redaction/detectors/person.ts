import type { Detector, Span } from './detector.ts'

const name = "\\p{Lu}[\\p{L}'’-]{1,30}(?: (?:(?:van|von|de|da|di|del|der|den|la|le|el|al|bin) ){0,2}\\p{Lu}[\\p{L}'’-]{1,30}){0,3}"
const introduced = new RegExp(
  `(?<=(?<!\\p{L})(?:(?:[Mm]y|[Hh]is|[Hh]er|[Tt]he) (?:full )?name is|[Ii] am|I[’']m|[Mm]ein Name ist|[Ii]ch hei(?:ß|ss)e|[Jj]e m[’']appelle|[Mm]e llamo|[Mm]i chiamo|(?:Mr|Mrs|Ms|Miss|Dr|Prof|Herr|Frau|Monsieur|Madame|Mme|Sig|Sr|Sra|Señor|Señora)\\.?) )${name}`,
  'gu',
)

/** Names after a title or an introduction, such as "Dr." or "my name is". Other names are not found. */
export const person: Detector = {
  label: 'PERSON',
  find: text => Array.from(text.matchAll(introduced), ({ 0: match, index }): Span => ({ start: index, end: index + match.length })),
}
