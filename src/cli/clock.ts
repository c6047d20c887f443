// The one clock of this process, for all that is measured or told live.
import { createClock } from '../base/time.ts'

export const now: () => number = createClock()
