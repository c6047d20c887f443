import { testLog } from '../suite.test.ts'
import { newStore } from './support.test.ts'

testLog('local', newStore)
