import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { SetupError } from '../server/kit/postgres/embedded/embedded.ts'
import { testing } from './agent-tests/agent-tests.ts'
import { answering } from './agents/agents.ts'
import { calling } from './calls/calls.ts'
import { campaigning, contacts_by_default } from './campaigns/campaigns.ts'
import { receiving } from './channels/channels.ts'
import { clustering } from './cluster/cluster.ts'
import { showing } from './dashboard/dashboard.ts'
import { benchImport, rows_by_default } from './import/import.ts'
import { asking } from './knowledge/knowledge.ts'
import { reading } from './opt-outs/opt-outs.ts'
import { scale } from './scale/scale.ts'
import { sharing } from './sharing/sharing.ts'
import { throughput } from './throughput.ts'
import { talking } from './voice/voice.ts'
import { delivering } from './webhooks/webhooks.ts'

const help = `Usage: npm run bench [-- OPTIONS]

Measures Parley beside a plain handler and beside the web framework alone, on this machine, in under three minutes.
A target that is missed is said in the table; only what fails gives another exit code than 0.

  --scale       instead: at 1,000,000 contacts, beside plain SQL and beside smaller workspaces
  --import      instead: an import of CSV beside COPY of the same rows into the same table
  --webhooks    instead: how soon and how fast events arrive at 200 endpoints, one of which hangs
  --agents      instead: how fast agents answer, beside a plain handler and a bare proxy, and reads at a million turns
  --tests       instead: how long a run of 100 tests of an agent takes, and what others notice of runs
  --channels    instead: how fast text messages are received, beside a plain handler, and what open web chats cost
  --calls       instead: how fast simulated calls happen, beside COPY of their rows, lists and searches at a million turns, and analytics of a million calls
  --campaigns   instead: how fast campaigns are simulated, beside COPY of their rows, how fast they call, and what others notice
  --knowledge   instead: how fast documents are searched at 100,000 passages, beside plain SQL of the same candidates
  --voice       instead: how soon an agent answers someone who talks to it, beside the sum of the stages; needs offline speech
  --opt-outs    instead: how fast messages are read that may be opt-outs, beside parsing them as JSON, and the slowest text
  --dashboard   instead: what the dashboard's first page weighs, how soon its first row is shown, and long tasks while scrolling; Linux only
  --processes N instead: gets and messages with one process and with N, and their memory; Linux only
  --cluster     instead: a database that Citus shards beside a plain one, with one workspace and with eight, and its commits when idle.
                TEST_CLUSTER_URL names a database on the coordinator that has the workers, TEST_PLAIN_URL a PostgreSQL beside it
  --rows COUNT  with --import or --campaigns: how many people (${rows_by_default} or ${contacts_by_default} otherwise)
  --json FILE   also write the table
  --help        this text`

/** What the person who typed it can mend; the message is one line. */
class UsageError extends Error {}

function parse() {
  try {
    return parseArgs({
      options: {
        json: { type: 'string' },
        scale: { type: 'boolean' },
        import: { type: 'boolean' },
        webhooks: { type: 'boolean' },
        agents: { type: 'boolean' },
        tests: { type: 'boolean' },
        channels: { type: 'boolean' },
        calls: { type: 'boolean' },
        campaigns: { type: 'boolean' },
        knowledge: { type: 'boolean' },
        voice: { type: 'boolean' },
        'opt-outs': { type: 'boolean' },
        dashboard: { type: 'boolean' },
        processes: { type: 'string' },
        cluster: { type: 'boolean' },
        rows: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    const [sentence] = String(Object(error).message).split(/\. |\n/)
    throw new UsageError(`${sentence} (npm run bench -- --help)`)
  }
}

function countOf(option: string, text: string | undefined, by_default: number): number {
  if (text === undefined) return by_default
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text)
  throw new UsageError(`${option} is a whole number, such as ${by_default} (npm run bench -- --help)`)
}

/** Aborts when the run is to end early: everything then unwinds and leaves nothing behind. */
function interruption(): AbortSignal {
  const controller = new AbortController()
  const abort = () => {
    // The launcher needn't pass the signal on.
    if (process.connected) process.send?.('stopping')
    controller.abort(new UsageError('interrupted'))
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, abort)
  process.on('disconnect', abort)
  process.channel?.unref()
  return controller.signal
}

type Bench = (stack: AsyncDisposableStack, signal: AbortSignal) => Promise<object>

function benchOf(options: ReturnType<typeof parse>): Bench {
  const { rows } = options
  if (options.import) return (stack, signal) => benchImport(stack, signal, countOf('--rows', rows, rows_by_default))
  if (options.campaigns)
    return (stack, signal) => campaigning(stack, signal, countOf('--rows', rows, contacts_by_default))
  if (options.processes !== undefined) {
    const count = countOf('--processes', options.processes, 2)
    return (stack, signal) => sharing(stack, signal, count)
  }
  if (options.scale) return scale
  if (options.webhooks) return delivering
  if (options.tests) return testing
  if (options.channels) return receiving
  if (options.calls) return calling
  if (options.knowledge) return asking
  if (options.voice) return talking
  if (options['opt-outs']) return reading
  if (options.dashboard) return showing
  if (options.cluster) return clustering
  return options.agents ? answering : throughput
}

async function main(): Promise<void> {
  const options = parse()
  const { json } = options
  if (options.help) return console.log(help)
  const measure = benchOf(options)
  await using stack = new AsyncDisposableStack()
  const signal = interruption()
  const table = await measure(stack, signal)
  if (json !== undefined) fs.writeFileSync(json, `${JSON.stringify(table, null, 2)}\n`)
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    const is_expected = error instanceof UsageError || error instanceof SetupError
    console.error(is_expected ? `bench: ${error.message}` : error)
    process.exit(1)
  },
)
