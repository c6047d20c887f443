// A bound on how often something may happen: a burst, and then so many a second.

/** 0: it may; else the milliseconds until it may. */
export type Bucket = { take(): number }

export function createBucket(burst: number, perSecond: number, now: () => number): Bucket {
  let left = burst
  let at = now()
  return {
    take() {
      const time = now()
      left = Math.min(burst, left + (Math.max(0, time - at) * perSecond) / 1000)
      at = time
      if (left < 1) return Math.ceil(((1 - left) * 1000) / perSecond)
      left--
      return 0
    },
  }
}
