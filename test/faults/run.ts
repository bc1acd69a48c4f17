import { randomInt } from 'node:crypto'
import { parseArgs } from 'node:util'
import { scenario as advance } from './advance.ts'
import { scenario as agent_tests } from './agent-tests.ts'
import { scenario as backup } from './backup.ts'
import { scenario as calls } from './calls.ts'
import { scenario as campaigns } from './campaigns.ts'
import { scenario as cluster } from './cluster.ts'
import { scenario as conversations } from './conversations.ts'
import { scenario as database } from './database.ts'
import { scenario as disk } from './disk.ts'
import { scenario as documents } from './documents.ts'
import { scenario as fuzz } from './fuzz.ts'
import { scenario as hostile } from './hostile.ts'
import { scenario as kill } from './kill.ts'
import { scenario as long } from './long.ts'
import { scenario as phone } from './phone.ts'
import { scenario as pressure } from './pressure.ts'
import { scenario as properties } from './properties.ts'
import { scenario as races } from './races.ts'
import { seeded } from './random.ts'
import { scenario as retention } from './retention.ts'
import type { Scenario } from './scenario.ts'
import { scenario as shards } from './shards.ts'
import { scenario as sms } from './sms.ts'
import { scenario as soak } from './soak.ts'
import { scenario as stalled } from './stalled.ts'
import { scenario as stop } from './stop.ts'
import { scenario as voice } from './voice.ts'

/** `npm run test:faults` runs every scenario, one after the other. */
const scenarios: Scenario[] = [
  kill,
  conversations,
  calls,
  voice,
  phone,
  campaigns,
  advance,
  sms,
  documents,
  agent_tests,
  database,
  cluster,
  shards,
  disk,
  backup,
  races,
  pressure,
  hostile,
  stalled,
  stop,
  fuzz,
  retention,
  properties,
  long,
  soak,
]

const defaults = { rounds: 100, minutes: 10 }

const help = `npm run test:faults -- [options]

Starts servers as a user would, injects faults, and compares the stored data with the acknowledged writes. Exits with 1 if
anything is lost, duplicated or answered wrongly.

  --only NAMES   run only these scenarios, separated by commas
  --short        run the short forms: all of them take minutes, and times are not asserted
  --rounds N     rounds of kills and races; twice as many kills during calls, a fifth as many during voice calls and half as many during calls by telephone, while documents are read and on a cluster, ten times as many during campaigns; half as many during tests of agents; a fifth as many stops; thirty times as many runs of each property (default ${defaults.rounds})
  --minutes N    duration of the soak, and of the longest voice call (default ${defaults.minutes})
  --seed N       repeat the random choices of an earlier run
  --attacks TEXT only the attacks of hostile with this text in their names, and no other requests
  --help         show this help

Scenarios:
${scenarios.map(({ name, about }) => `  ${name.padEnd(15)}${about}`).join('\n')}
`

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      short: { type: 'boolean', default: false },
      rounds: { type: 'string', default: String(defaults.rounds) },
      minutes: { type: 'string', default: String(defaults.minutes) },
      seed: { type: 'string', default: String(randomInt(2 ** 31)) },
      attacks: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return console.log(help)
  const names = values.only?.split(',')
  const unknown = names?.filter((name) => !scenarios.some((scenario) => scenario.name === name)) ?? []
  if (unknown.length > 0) throw new Error(`unknown scenario ${unknown.join(', ')}: see --help`)
  const [rounds, minutes, seed] = [
    number('--rounds', values.rounds),
    number('--minutes', values.minutes),
    number('--seed', values.seed),
  ]
  console.log(`Seed ${seed}`)
  for (const { name, about, run } of scenarios.filter(({ name }) => names?.includes(name) ?? true)) {
    console.log(`\n${name}: ${about}`)
    const begun_at = performance.now()
    const print = (line: string) => console.log(`  ${line}`)
    // Each starts from the seed, so that a scenario makes the same choices when it runs alone.
    const random = seeded(seed)
    const { short, attacks } = values
    await run({ is_long: !short, rounds, minutes, random, seed, attacks, print }).catch((error: unknown) => {
      const form = values.short ? '--short' : `--rounds ${rounds}`
      console.error(`\n${name} failed. To repeat it: npm run test:faults -- --only ${name} ${form} --seed ${seed}`)
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

// Child processes are ended when this process exits.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))
try {
  await main()
} catch (error) {
  console.error(error)
  process.exitCode = 1
}
