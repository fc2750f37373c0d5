import { judgeAiSdk } from '../gateway/ai-sdk.ts'
import { models, startJudged } from './judged.ts'

judgeAiSdk(Object.values(models), 1, startJudged)
