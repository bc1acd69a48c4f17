import fc from 'fast-check'

const runs_of_npm_test = 100
/** How often a property is tried: `npm test` tries it 100 times, the scenario `properties` of `npm run test:faults` thousands of times. */
const property_runs = Number(process.env.PROPERTY_RUNS ?? runs_of_npm_test)
/** Repeats the random choices of an earlier run. */
const property_seed = process.env.PROPERTY_SEED

/** Options for `fc.assert`. A property that is slow, for example because it sends requests, is tried less often: `share` is below 1. */
export const runs = (share = 1): { numRuns: number; seed?: number } => ({
  numRuns: Math.max(1, Math.round(property_runs * share)),
  ...(property_seed !== undefined && { seed: Number(property_seed) }),
})

/** How much of something a test does in `npm test`, and how much in the scenario `properties`. */
export const byForm = <Value>({ short, long }: { short: Value; long: Value }): Value =>
  property_runs > runs_of_npm_test ? long : short

/** Any character but half surrogates. */
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((index) => String.fromCodePoint(index < 0xd800 ? index : index + 0x800))

/** Any text. `fc.string` with the unit `binary` is the same, but first lists a million characters. */
export const anyText = (limits: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.string({ ...limits, unit: character })
