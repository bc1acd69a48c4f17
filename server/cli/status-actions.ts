import { styleText } from 'node:util'
import { readConfig } from '../config.ts'
import { openDatabase } from '../database.ts'
import { openLog } from '../kit/log.ts'
import { items_max } from '../kit/work/backlog.ts'
import type { InstallationStatus } from '../people/installation-schema.ts'
import { product } from '../product.ts'
import { consoleOf, type Shell } from '../start/shell.ts'
import { engineName, readStatus } from '../status.ts'
import { reportError } from './report-error.ts'
import { formatTable } from './run.ts'

/** The exit code if the database can't be reached. */
const unreachable_exit_code = 2

export async function printStatus(shell: Shell, { is_json }: { is_json: boolean }): Promise<void> {
  const console = consoleOf(shell)
  try {
    const status = await openAndRead(shell)
    console.log(is_json ? JSON.stringify(status) : format(status, shell))
    shell.exitCode = status.attention.length > 0 ? 1 : 0
  } catch (error) {
    reportError(shell, error, { is_json })
    shell.exitCode = unreachable_exit_code
  }
}

async function openAndRead(shell: Shell): Promise<InstallationStatus> {
  const config = readConfig(shell.env)
  const log = openLog(config.log_level === 'info' ? 'warn' : config.log_level)
  const say = consoleOf(shell).error
  const database = await openDatabase(config, { as: 'command', may_create: false, is_read_only: true, say, log })
  try {
    return await readStatus(database.pool, config)
  } finally {
    await database.close()
  }
}

type Style = 'red' | 'green' | 'bold'

function format(status: InstallationStatus, { stdout, env }: Shell): string {
  const has_colors = stdout.isTTY === true && !env.NO_COLOR
  const paint = (style: Style, text: string) => (has_colors ? styleText(style, text, { validateStream: false }) : text)
  const { version, database, nodes, engines, attention, disk } = status
  const facts = [
    ['Failing channels', formatCount(status.channels_failing)],
    ['Failing webhooks', formatCount(status.webhooks_failing)],
    ['Free in DATA_DIR', disk.free_bytes === null ? 'unknown' : `${(disk.free_bytes / 1e9).toFixed(1)} GB`],
    ...nodes.map(({ name, is_up }) => [`Node ${name}`, is_up ? 'up' : 'down']),
  ]
  const work = engines.map(({ kind, due, lag_seconds }) => [
    engineName(kind),
    kind,
    `${formatCount(due)}${due < items_max ? '' : '+'}`,
    due > 0 ? `${lag_seconds.toLocaleString('en')} s` : '-',
  ])
  return [
    `${paint('bold', `${product.name} ${version}`)}, ${database}`,
    '',
    formatTable(['WORK', 'KIND', 'DUE', 'OLDEST'], work),
    '',
    formatTable(['Live calls', formatCount(status.calls_live)], facts),
    '',
    ...(attention.length > 0
      ? [paint('red', 'Needs attention:'), ...attention.map((sentence) => `- ${sentence}`)]
      : [paint('green', 'All is well.')]),
  ].join('\n')
}

const formatCount = (number: number | null): string => (number === null ? 'unknown' : number.toLocaleString('en'))
