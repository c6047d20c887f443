import { testMadeUp } from '../suite.test.ts'
import { supportOf } from '../support.test.ts'
import { sluice } from './index.ts'

// It has no fixtures, and tells what stands in a log as it stands, right or wrong.
testMadeUp(supportOf(sluice))
