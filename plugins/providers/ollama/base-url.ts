/** Where Ollama listens unless it is configured otherwise. */
export const defaultBaseUrl = 'http://127.0.0.1:11434'
