import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { scenario as database } from './database.ts'
import { scenario as disk } from './disk.ts'
import { scenario as fuzz } from './fuzz.ts'
import { scenario as hostile } from './hostile.ts'
import { scenario as kill } from './kill.ts'
import { scenario as pressure } from './pressure.ts'
import { scenario as races } from './races.ts'
import { seeded } from './random.ts'
import { scenario as retention } from './retention.ts'
import type { Scenario } from './scenario.ts'
import { scenario as soak } from './soak.ts'
import { scenario as stalled } from './stalled.ts'
import { scenario as stop } from './stop.ts'

/** `npm run test:faults`: the long form of every scenario, one after the other. */
const scenarios: Scenario[] = [
  ...[kill, database, disk, races, pressure, hostile, stalled, stop, fuzz, retention],
  soak,
]

const defaults = { rounds: 100, minutes: 10 }

const help = `npm run test:faults -- [options]

Starts servers as a user would, does to them what happens on bad days, and compares what is there afterwards with what was
acknowledged. Ends with 1 when anything is lost, there twice, or answered wrongly.

  --only NAMES   these scenarios only, separated by commas
  --rounds N     how many kills; of stops there are a fifth as many (${defaults.rounds})
  --minutes N    how long the soak takes (${defaults.minutes})
  --seed N       repeats the random choices of an earlier run
  --help         this

Scenarios:
${scenarios.map(({ name, about }) => `  ${name.padEnd(15)}${about}`).join('\n')}
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: String(defaults.rounds) },
      minutes: { type: 'string', default: String(defaults.minutes) },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const names = values.only?.split(',')
  const unknown = names?.filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`there is no scenario ${unknown.join(', ')}: see --help`)
  const [rounds, minutes, seed] = [
    number('--rounds', values.rounds),
    number('--minutes', values.minutes),
    number('--seed', values.seed),
  ]
  console.log(`Seed ${seed}`)
  for (const { name, about, run } of scenarios.filter(({ name }) => names?.includes(name) ?? true)) {
    console.log(`\n${name}: ${about}`)
    const begun_at = performance.now()
    const say = (line: string) => console.log(`  ${line}`)
    // Each from the seed itself, so that one alone does what it does among the others.
    await run({ is_long: true, rounds, minutes, random: seeded(seed), seed, say }).catch((error: unknown) => {
      console.error(
        `\n${name} failed. Again by: npm run test:faults -- --only ${name} --rounds ${rounds} --seed ${seed}`,
      )
      throw error
    })
    console.log(`  clean, in ${((performance.now() - begun_at) / 1000).toFixed(1)} s`)
  }
}

function number(option: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !(value >= 0)) throw new Error(`${option} must be a number, but is "${text}"`)
  return value
}

// The processes that are still running are ended when this one is.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  await main()
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
