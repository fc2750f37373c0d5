'ats/gemini/index.ts'
