/**
 * The width of buckets: each is 8 % wider than the one before, so that medians of any period can be computed from sums.
 * The middle of a bucket is less than 4 % away from each time in it.
 */

const ratio = 1.08
const bucket_max = 400

/** Returns the bucket of a time in milliseconds. The first one is for 0. @internal */
export const bucketOf = (time_ms: number): number =>
  time_ms < 1 ? 0 : Math.min(bucket_max, 1 + Math.floor(Math.log(time_ms) / Math.log(ratio)))

/** Returns a time in the middle of the bucket. @internal */
export const timeOf = (bucket: number): number => (bucket === 0 ? 0 : Math.round(ratio ** (bucket - 0.5)))

/** The measures that have a histogram. */
const measures = ['duration_ms', 'turn_ms', 'first_answer_ms'] as const
export type Measure = (typeof measures)[number]

/** The buckets of all measures are in one column, each measure's from a multiple of this on. */
export const measure_width = 1_000

export const columnBucketOf = (measure: Measure, time_ms: number): number =>
  measures.indexOf(measure) * measure_width + bucketOf(time_ms)

export const readColumnBucket = (column_bucket: number): { measure: Measure | undefined; time_ms: number } => ({
  measure: measures[Math.floor(column_bucket / measure_width)],
  time_ms: timeOf(column_bucket % measure_width),
})
