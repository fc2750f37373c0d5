/** Which of the subject's modules speaks which wire, and its function for a model. */
export const modules = {
  'openai-chat': ['openaiChat', 'openaiChat'],
  'openai-responses': ['openaiResponses', 'openaiResponses'],
  anthropic: ['anthropic', 'anthropic'],
  gemini: ['gemini', 'gemini'],
  ollama: ['ollama', 'ollama'],
}
