/** Turns the checks of options on: every public path of a development build begins with this file. @module */
import { turnOnChecks } from '../core/checks.ts'
import { check } from './index.ts'

turnOnChecks(check)
