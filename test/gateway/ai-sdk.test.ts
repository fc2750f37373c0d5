import { judgeAiSdk } from './ai-sdk.ts'
import { wireNames } from './provider.ts'
import { startRig } from './rig.ts'

judgeAiSdk(wireNames, 0, startRig)
