import type { Section } from './sections.ts'

export interface DocumentIndex {
  /** The sections that match best, at least one per word. */
  find(query: string, most: number): readonly Section[]
}

const maxWords = 32
const maxTextLength = 2_000

/** Full-text search in the memory of the process. */
export async function openIndex(documents: AsyncIterable<readonly Section[]>): Promise<DocumentIndex> {
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(':memory:')
  database.exec(`create virtual table sections using fts5(title, text, path unindexed, anchor unindexed, tokenize = 'porter unicode61')`)
  const insert = database.prepare('insert into sections (title, text, path, anchor) values (?, ?, ?, ?)')
  for await (const sections of documents) for (const { title, text, path, anchor } of sections) insert.run(title, text, path, anchor)
  const select = database.prepare(
    'select title, text, path, anchor from sections where sections match ? order by bm25(sections, 4.0, 1.0), rowid limit ?',
  )
  return {
    find(query, most) {
      const words = wordsOf(query)
      if (words.length === 0) return []
      const rows = select.all(words.join(' OR '), most) as unknown as readonly Section[]
      return rows.map(({ title, text, path, anchor }) => ({ title, path, anchor, text: text.slice(0, maxTextLength).toWellFormed() }))
    },
  }
}

/** Words that every text contains. */
const commonWords = new Set(
  'a about an and are as at be but by can do does for from has have how i if in is it me my not of on or that the this to was what when where which who why will with you your'.split(
    ' ',
  ),
)

/** In quotes, so that nothing in them is an operator. */
function wordsOf(query: string): readonly string[] {
  const words =
    query
      .toWellFormed()
      .normalize('NFC')
      .match(/[\p{L}\p{N}]{1,64}/gu) ?? []
  const distinct = new Set(words.map(word => word.toLowerCase()))
  return [...distinct]
    .filter(word => !commonWords.has(word))
    .slice(0, maxWords)
    .map(word => `"${word}"`)
}
