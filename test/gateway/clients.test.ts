import { judgeClients } from './judge.ts'
import { startRig } from './rig.ts'

judgeClients({ title: 'the gateway on Node', turn: 0, modes: [false, true], start: startRig })
