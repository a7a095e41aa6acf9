/** The variables that add a search engine in `defaults()`. */
export const engineVariables = [
  'TAVILY_API_KEY',
  'BRAVE_SEARCH_API_KEY',
  'EXA_API_KEY',
  'LINKUP_API_KEY',
  'SERPER_API_KEY',
  'JINA_API_KEY',
  'KAGI_API_KEY',
  'GOOGLE_SEARCH_API_KEY with GOOGLE_SEARCH_ENGINE_ID',
  'SEARXNG_BASE_URL',
]
