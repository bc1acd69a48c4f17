/** How often a property is tried: `npm test` tries it 100 times, the scenario `properties` of `npm run test:faults` thousands of times. */
const property_runs = Number(process.env.PROPERTY_RUNS ?? 100)
/** Repeats the random choices of an earlier run. */
const property_seed = process.env.PROPERTY_SEED

/** Options for `fc.assert`. A property that is slow, because it sends requests or statements, is tried less often: `share` is below 1. */
export const runs = (share = 1): { numRuns: number; seed?: number } => ({
  numRuns: Math.max(1, Math.round(property_runs * share)),
  ...(property_seed !== undefined && { seed: Number(property_seed) }),
})
