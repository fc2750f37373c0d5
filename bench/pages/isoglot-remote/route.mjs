import { answerResponse } from 'isoglot/gateway'
import { openaiChat } from 'isoglot/openai-chat'

const model = openaiChat('gpt-5', { apiKey: 'k', baseUrl: process.env.PROVIDER_URL })

export const POST = (request) => answerResponse(model, request)
